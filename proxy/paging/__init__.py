"""Cuts tool results that are too big for a model's context, and lets it read on.

Pure helpers for the policy `truncate_results`: what a cut result looks like (`pages.cut`, `pages.page`), which results
the agent cut itself (`already_cut`), the tool (`tool.read_more`) and its cursors (`cursors.make`, `cursors.check`).
Nothing here knows a conversation, a dialect, a store or a tool of anybody's. Read `pages` first.
"""
