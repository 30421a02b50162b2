"""Packs: from the text of a YAML file to frozen objects.

Start at `pack.py`, which says what a pack is. `document.py` reads YAML and remembers where everything stood, `build.py`
merges and checks, `explain.py` says what is wrong and where, `advice.py` what is legal but of no effect. All of it
takes text and returns values; `proxy/packs.py` reads the files.
"""

from proxy.settings.build import Compiled, compile_pack, parse_pack
from proxy.settings.document import Document, read_document
from proxy.settings.fields import BreakerSettings, CountLimit, Limit, Mode, least
from proxy.settings.pack import Catalog, EndWith, Escalation, LogSettings, Pack, Price
from proxy.settings.policies import PIPELINE_NAMES, Policies, PolicySettings
from proxy.settings.problems import PackError, Place, Problem
from proxy.settings.schema import schema_json
from proxy.settings.tools import ErrorForm, IdempotencyKey, Instead, ParameterFacts, Polling, ToolFacts
from proxy.settings.upstreams import Match, RequestTime, UpstreamEntry, UpstreamSettings

__all__ = [
    "PIPELINE_NAMES",
    "BreakerSettings",
    "Catalog",
    "Compiled",
    "CountLimit",
    "Document",
    "EndWith",
    "ErrorForm",
    "Escalation",
    "IdempotencyKey",
    "Instead",
    "Limit",
    "LogSettings",
    "Match",
    "Mode",
    "Pack",
    "PackError",
    "ParameterFacts",
    "Place",
    "Policies",
    "PolicySettings",
    "Polling",
    "Price",
    "Problem",
    "RequestTime",
    "ToolFacts",
    "UpstreamEntry",
    "UpstreamSettings",
    "compile_pack",
    "least",
    "parse_pack",
    "read_document",
    "schema_json",
]
