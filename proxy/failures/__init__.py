"""Reads a tool result: is the whole of it a failure, and which? And writes the structured error.

    read.read(Result(tool, description, arguments, text), Known()) -> Failure | EmptyRows | None
    written.structured(failure, lang="en") -> str

What goes in and comes out is in `reading`. Pure: no I/O, no clock, no randomness; work is bounded whatever the text
holds. `read` takes long to import, since its patterns are compiled, so whoever serves brings it in late.
"""
