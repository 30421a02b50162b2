"""The policies, one concern per file. `pipeline.py` lists them in the order in which an ask meets them."""
