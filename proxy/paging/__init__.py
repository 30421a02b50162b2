"""Cuts tool results that are too big for a model's context, and lets it read on.

Pure helpers for the policy `truncate_results`: what a cut result looks like (`cut`, `page`), which results the agent
cut itself (`already_cut`), the tool (`read_more`) and its cursors (`make`, `check`). Nothing here knows a conversation,
a dialect, a store or a tool of anybody's. Read `pages` first.
"""

from proxy.paging.already_cut import already_cut
from proxy.paging.body import Lang, Limits, Page
from proxy.paging.cursors import Invalid, check, make, ref
from proxy.paging.pages import cut, page
from proxy.paging.tool import READ_MORE, READ_MORE_ZH, free_name, read_more

__all__ = [
    "READ_MORE",
    "READ_MORE_ZH",
    "Invalid",
    "Lang",
    "Limits",
    "Page",
    "already_cut",
    "check",
    "cut",
    "free_name",
    "make",
    "page",
    "read_more",
    "ref",
]
