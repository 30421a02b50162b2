"""`handrail check FILE…`: does a pack load, and does everything in it have an effect?

SHELL: reads files and prints. What a problem is, `proxy/settings` decides; here it only becomes lines and an exit code.
"""

from collections.abc import Iterable, Sequence

from proxy.packs import inspect_pack
from proxy.settings.build import Compiled
from proxy.settings.pack import Pack
from proxy.settings.policies import PIPELINE_NAMES

OK, FINDING, BAD_USAGE = 0, 1, 2


def check(paths: Sequence[str]) -> int:
    """Print what is wrong with each pack, or what it does. Exit code: 0 fine, 1 a finding, 2 nothing to read."""
    if not paths:
        print("nothing to check: name one pack or more")
        return BAD_USAGE
    return max(_check_one(path) for path in paths)


def _check_one(path: str) -> int:
    checked = inspect_pack(path)
    for line in _lines(path, checked):
        print(line)
    if any(not problem.place.line for problem in checked.problems):
        return BAD_USAGE
    return FINDING if checked.problems else OK


def _lines(path: str, checked: Compiled) -> Iterable[str]:
    yield from map(str, checked.problems)
    if checked.pack:
        yield f"{path}: loads; {_summary(checked.pack)}"
    else:
        count = sum(not problem.warning for problem in checked.problems)
        yield f"{path}: does not load ({count} problem{'s' if count > 1 else ''})"


def _summary(pack: Pack) -> str:
    modes = {name: pack.effective_mode(name) for name in PIPELINE_NAMES}
    parts = [
        f"{mode}: {', '.join(name for name in modes if modes[name] == mode)}"
        for mode in ("enforce", "observe", "off")
        if mode in modes.values()
    ]
    return "; ".join(parts)
