"""Handrail: a sidecar proxy that makes tool calling reliable.

Read `exchange.py` first: it is the life of one request.
"""

__version__ = "0.1.0"
