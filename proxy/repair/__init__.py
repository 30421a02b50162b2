"""Pure help for tool-call arguments: schemas, broken JSON, coercion, and what to tell the model.

Nothing in this package does I/O, reads a clock or knows a policy, a dialect or a tool. `arguments.repair` is the
one entry point; everything else serves it or says in words what it could not do.
"""
