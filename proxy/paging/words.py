"""What paging says to the model, in English and Chinese.

Two rules for every sentence here. It never names a tool or a cursor unless the tool can be called. And it says how
much there is, what is shown, and what is left: a model that is told only "truncated" takes the part for the whole.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from proxy.paging.body import Lang


@dataclass(frozen=True, slots=True)
class Words:
    """Templates for `str.format`; numbers come with thousands separators."""

    value: str
    """Stands at the end of a value that was cut."""
    more: str
    """Stands where elements, fields or lines are left out."""
    gap: str
    """Stands where the middle of a log is left out; the sentence about the rest is elsewhere."""

    rows: str
    rows_of: str
    lines: str
    lines_two: str
    characters: str

    begins: str
    note_next: str
    note_rest: str
    note_last: str
    mark_next: str
    mark_rest: str
    mark_last: str
    gap_next: str
    gap_rest: str


_EN = Words(
    value="…[cut: {shown} of {total} characters up to here]",
    more="…[cut: {left} more]",
    gap="[… {left} lines left out …]",
    rows="rows {first}-{last} of {total}",
    rows_of='rows {first}-{last} of {total} in "{path}"',
    lines="lines {first}-{last} of {total}",
    lines_two="lines {first}-{last} and {again}-{total} of {total}",
    characters="characters {first}-{last} of {total}",
    begins=' It starts in the middle of "{path}".',
    note_next="This is a part: {shown}; the whole has {size} bytes.{begins} "
    'For the next part call {tool} with the value of "{key}".',
    note_rest="This is a part: {shown}; the whole has {size} bytes.{begins} The other {left} bytes are not shown.",
    note_last="This is the last part: {shown}.{begins} Nothing is left, the result is complete.",
    mark_next="[This is a part: {shown}; the whole has {size} bytes. "
    'For the next part call {tool} with cursor="{cursor}"]',
    mark_rest="[This is a part: {shown}; the whole has {size} bytes. The other {left} bytes are not shown.]",
    mark_last="[This is the last part: {shown}. Nothing is left, the result is complete.]",
    gap_next="[… {lines} lines ({left} bytes) are left out here; the whole has {size} bytes. "
    'To read on from here call {tool} with cursor="{cursor}" …]',
    gap_rest="[… {lines} lines ({left} bytes) are left out here and not shown; the whole has {size} bytes …]",
)

_ZH = Words(
    value="…[已截断：到此为止 {shown} / 共 {total} 个字符]",
    more="…[已截断：还有 {left} 个]",
    gap="[… 省略 {left} 行 …]",
    rows="第 {first}-{last} 行，共 {total} 行",
    rows_of="“{path}”的第 {first}-{last} 行，共 {total} 行",
    lines="第 {first}-{last} 行，共 {total} 行",
    lines_two="第 {first}-{last} 行和第 {again}-{total} 行，共 {total} 行",
    characters="第 {first}-{last} 个字符，共 {total} 个字符",
    begins="从“{path}”的中间开始。",
    note_next="这里只是一部分：{shown}；全文共 {size} 字节。{begins}要读下一部分，请用“{key}”的值调用 {tool}。",
    note_rest="这里只是一部分：{shown}；全文共 {size} 字节。{begins}其余 {left} 字节未显示。",
    note_last="这是最后一部分：{shown}。{begins}没有更多内容，结果已完整。",
    mark_next='[这里只是一部分：{shown}；全文共 {size} 字节。要读下一部分，请调用 {tool}，cursor="{cursor}"]',
    mark_rest="[这里只是一部分：{shown}；全文共 {size} 字节。其余 {left} 字节未显示。]",
    mark_last="[这是最后一部分：{shown}。没有更多内容，结果已完整。]",
    gap_next="[… 此处省略 {lines} 行（{left} 字节）；全文共 {size} 字节。"
    '要从这里继续读，请调用 {tool}，cursor="{cursor}" …]',
    gap_rest="[… 此处省略 {lines} 行（{left} 字节），未显示；全文共 {size} 字节 …]",
)

WORDS: Mapping[Lang, Words] = MappingProxyType({"en": _EN, "zh": _ZH})
