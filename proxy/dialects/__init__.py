"""The wire APIs. Each reads bytes into the model and writes edits back; none knows a policy."""
