"""What the call asked for: its values, and what kind of tool answers. A traceback from a tool that shows logs is data,
the same traceback from a tool that books rooms is a failure; a name that the model itself sent is the model's mistake,
one that it never sent is the tool's.

Reads the tool's name and description as words; knows no tool by name.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from proxy.failures.reading import Result

Kind = Literal["shell", "code", "content", "report", "action"]

_MAX_VALUES = 200
_MAX_TEXT = 20_000

_WORD = re.compile(r"[A-Za-z][a-z]*|[A-Z]+(?![a-z])|[一-鿿]+")

_SHELL = frozenset(
    "shell bash terminal command commands cmd exec powershell zsh console subprocess ssh 终端 命令".split()
)
_SHELL_ARGUMENTS = frozenset("command cmd commands shell_command argv bash script_command cmdline command_line".split())
_CODE = frozenset("repl interpreter compiler jupyter notebook sandbox typecheck lint pytest".split())
_LANGUAGES = frozenset(
    "python javascript typescript node java kotlin rust ruby php perl lua go c cpp julia swift scala bash sql".split()
)
_CODE_NOUNS = frozenset("code program script scripts cell tests test snippet build types type".split())
_CODE_VERBS = frozenset("run exec execute eval evaluate interpret compile build check".split())
_LOOKS_LIKE_CODE = re.compile(r"[(){};=\n<>]|^\s*(?:import|print|select|def|echo)\b", re.IGNORECASE)
_CODE_ARGUMENTS = frozenset(
    "code source program script cell snippet python javascript source_code expression_code".split()
)
_CONTENT_VERBS = frozenset(
    "describe cat browse scrape crawl grep tail head dump explain classify summarize summarise translate label annotate grade quote"
    " echo transcribe ocr diff history logs rewrite paraphrase 日志 解释 分类 摘要 翻译 批改".split()
)
_BUSINESS = frozenset(
    "order orders refund pay payment payout charge transfer withdraw withdrawal deposit book booking reserve reservation cancel cancellation ship shipping shipment deliver delivery dispatch"
    " checkout cart basket coupon voucher redeem loan credit invoice expense expenses claim entry post journal ledger accounting enroll enrol enrolment leave vacation appointment slot seat flight room table trip rent rental checkin check"
    " subscribe subscription upgrade downgrade plan membership auction bid trade stock buy sell purchase sku quote approve approval publish campaign prescribe prescription admit hire assign discount"
    " price contract policy insurance account card wallet points reward rewards gift return exchange renew renewal extend vote register registration activate deactivate deploy deployment merge vehicle driver"
    " course student patient guest customer supplier vendor po budget period posting bet stake donation donate tip topup recharge rebook reschedule schedule meeting court ticket tickets".split()
)
_BUSINESS_ZH = (
    "下单", "订单", "支付", "付款", "退款", "转账", "提现", "充值", "预订", "预约", "预定", "挂号", "报名", "取消", "退货", "换货", "发货", "配送", "优惠券", "兑换", "开户", "贷款", "请假", "报销", "审批",
    "改签", "退票", "购买", "购票", "租", "领取", "注册", "申请", "会议室", "库存", "发票", "签到", "投保", "理赔",
)  # fmt: skip
_MAKERS = frozenset(
    "explain classify summarize summarise translate label annotate grade transcribe ocr ask chat complete generate rewrite paraphrase extract detect caption".split()
)
_CONTENT_NOUNS = frozenset(
    "log logs file files page pages documentation article ticket tickets issue issues email emails mail"
    " message messages comment comments thread note notes wiki web url webpage website website manual man help"
    " incident incidents alert alerts post posts chat conversation transcript review reviews knowledge faq memo changelog commit commits"
    " schema ddl structure tables columns policy policies rules rule faq question questions answer title subject body summary description definition word words codes glossary terms guide instructions quote joke fact facts translation caption headline transcript title incident term article content contents reason changelog release notes trace traces stacktrace sentry exception exceptions error errors crash crashes event events audit news snippet text"
    " 文件 网页 文档 工单 邮件 消息 评论".split()
)
_REPORT = frozenset(
    "check probe ping monitor health diagnose diagnostics verify validate lint status report inspect audit scan"
    " evaluate metrics statistics traffic state"
    " 检查 检测 状态 监控 报告 任务 列表".split()
)
_GETTERS = frozenset(
    "get list show describe read fetch query search find lookup check inspect view open display print load download review 查询 读取 搜索 检索 获取 列表 查看".split()
)

_VIEWERS = frozenset(
    "cat bat head tail less more grep egrep fgrep zgrep rg ag ack sed awk gawk jq yq cut sort uniq wc strings zcat xxd hexdump od nl tac"
    " journalctl dmesg man info apropos whatis echo printf ls ll dir find fd locate tree stat diff comm column fold fmt tee"
    " history env printenv type which pygmentize".split()
)
_VIEWING_SUBCOMMANDS = frozenset(
    "git log|git show|git diff|git blame|git grep|git help|git status|git reflog|docker logs|podman logs|docker inspect|kubectl logs|"
    "kubectl describe|kubectl get events|kubectl explain|gh issue|gh pr|gh run|systemctl status|heroku logs|gcloud logging|aws logs|npm help|"
    "cargo doc|python -m pydoc|pydoc|perldoc|ri|go doc|rustc --explain|crontab -l|sqlite3 .dump".split("|")
)
_HELP = re.compile(r"\s(?:--help|--usage)(?:[=\s]|$)|^\S+ help\b|\s-h\s*$")
_ASSIGN = re.compile(
    r"^(?:[A-Za-z_]\w*=\S*\s+|sudo\s+|time\s+|env\s+|timeout\s+\S+\s+|nohup\s+|nice\s+|xargs\s+|command\s+|2>&1\s*)+"
)


@dataclass(frozen=True, slots=True)
class Call:
    """The call, looked at once."""

    tool: str
    words: frozenset[str]
    """Words of the tool's name."""
    about: frozenset[str]
    """Words of its name and description."""
    arguments: Mapping[str, Any]
    values: tuple[tuple[str, str], ...]
    """Scalars of the arguments, as (name of the nearest key, text)."""
    kind: Kind
    commands: tuple[str, ...] = ()
    """Shell tools: the simple commands of the command line, assignments and `sudo` taken off."""
    shows: bool = False
    """Its answer is content that may well quote failures."""

    @property
    def own(self) -> frozenset[str]:
        return frozenset(text for _, text in self.values if len(text) >= 3)

    @property
    def programs(self) -> frozenset[str]:
        return frozenset(command.split(None, 1)[0].rsplit("/", 1)[-1] for command in self.commands)

    @property
    def getter(self) -> bool:
        return bool(self.words & _GETTERS)

    @property
    def commercial(self) -> bool:
        """It does business: what it refuses in plain words, a rule refuses."""
        return self.kind == "action" and not self.getter and bool(
            self.words & _BUSINESS or any(term in text for text in self.about for term in _BUSINESS_ZH)
        )

    @property
    def makes(self) -> bool:
        """Its answer is text made by a model or a recognizer: any sentence may come out of it."""
        return bool(self.words & _MAKERS)

    @property
    def reports(self) -> bool:
        return bool(self.words & _REPORT) and not self.words & {"out", "in"}

    def argument_of(self, text: str) -> str:
        """Name of the argument whose value is `text` or holds it as a word; empty if none."""
        if not text:
            return ""
        for name, value in self.values:
            if value == text:
                return name or "value"
        low = text.lower()
        if len(low) < 2:
            return ""
        for name, value in self.values:
            if _holds(value.lower(), low):
                return name or "value"
        return ""


def _holds(value: str, text: str) -> bool:
    at = value.find(text)
    while at >= 0:
        before = value[at - 1] if at else " "
        end = at + len(text)
        after = value[end] if end < len(value) else " "
        if not (before.isalnum() and text[0].isalnum()) and not (after.isalnum() and text[-1].isalnum()):
            return True
        at = value.find(text, at + 1)
    return False


def understood(result: Result) -> Call:
    """The call that `result` answers."""
    arguments = _object(result.arguments)
    values = tuple(_scalars(arguments))
    words = frozenset(_words(result.tool))
    about = words | frozenset(_words(result.description[:400]))
    pipelines = _pipelines(arguments)
    commands = tuple(command for pipeline in pipelines for command in pipeline)
    kind = _kind(words, about, arguments, commands)
    shows = _viewing(pipelines) if kind == "shell" else kind == "content"
    return Call(result.tool, words, about, arguments, values, kind, commands, shows)


def _object(arguments: Mapping[str, Any] | str) -> Mapping[str, Any]:
    if not isinstance(arguments, str):
        return arguments
    try:
        found = json.loads(arguments) if len(arguments) < _MAX_TEXT else None
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        return found
    return {"": arguments[:_MAX_TEXT]} if arguments.strip() else {}


def _scalars(value: Any) -> Iterator[tuple[str, str]]:
    """At most _MAX_VALUES, without recursion."""
    stack: list[tuple[str, Any]] = [("", value)]
    given = 0
    while stack and given < _MAX_VALUES:
        name, item = stack.pop()
        if isinstance(item, Mapping):
            if name:
                given += len(item)
                yield from ((name, str(key)) for key in list(item)[:_MAX_VALUES])
            stack += [(str(key), inner) for key, inner in reversed(list(item.items())[:_MAX_VALUES])]
        elif isinstance(item, list | tuple):
            stack += [(name, inner) for inner in reversed(item[:_MAX_VALUES])]
        elif item is not None and not isinstance(item, bool):
            given += 1
            yield name, str(item)[:_MAX_TEXT]


def _words(text: str) -> Iterator[str]:
    for found in _WORD.finditer(text):
        yield found.group().lower()


def _pipelines(arguments: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """The command line as pipelines of simple commands."""
    for name, value in arguments.items():
        if name.lower() in _SHELL_ARGUMENTS or (name == "" and isinstance(value, str)):
            line = (" ".join(map(str, value)) if isinstance(value, list) else str(value))[:_MAX_TEXT].strip()
            inner = re.match(r"^(?:/bin/)?(?:ba|z|da)?sh -l?c (['\"]?)(.*)\1$", line, re.DOTALL)
            return tuple(pipeline for pipeline in _split(inner.group(2) if inner else line) if pipeline)
    return ()


def _split(line: str) -> Iterator[tuple[str, ...]]:
    """Cuts at `;`, `&&`, `||`, newline into pipelines and at `|` into commands, outside of quotes."""
    pipeline: list[str] = []
    start, quote, at = 0, "", 0
    while at <= len(line):
        char = line[at : at + 1]
        if quote:
            quote = "" if char == quote else quote
        elif char in ("'", '"'):
            quote = char
        elif char == "\\":
            at += 1
        elif char in ("|", ";", "\n", "") or line.startswith("&&", at):
            if simple := _ASSIGN.sub("", line[start:at].strip() + " ").strip():
                pipeline.append(simple)
            if char != "|" or line.startswith("||", at):
                yield tuple(pipeline)
                pipeline = []
            at += line.startswith(("&&", "||"), at)
            start = at + 1
        at += 1
    if quote:
        yield tuple([*pipeline, line[start:].strip()])


_SILENT_PROGRAMS = frozenset(
    "cd set export source true : pushd popd exit mkdir touch sleep unset alias shopt umask".split()
)


def _viewing(pipelines: tuple[tuple[str, ...], ...]) -> bool:
    """Whether everything that prints shows text that is there, or a manual."""
    printing = [
        pipeline
        for pipeline in pipelines
        if pipeline[0].split()[0] not in _SILENT_PROGRAMS and not re.search(r">>?\s?[^&\s]", pipeline[-1])
    ]
    return bool(printing) and all(all(_views(command) for command in pipeline) for pipeline in printing)


def _views(command: str) -> bool:
    words = command.split()
    program = words[0].rsplit("/", 1)[-1]
    start = " ".join([program, *words[1:3]])
    if program in _VIEWERS or _HELP.search(command) or program in _SILENT_PROGRAMS:
        return True
    return any(start.startswith(known) for known in _VIEWING_SUBCOMMANDS)


def _kind(
    words: frozenset[str], about: frozenset[str], arguments: Mapping[str, Any], commands: tuple[str, ...]
) -> Kind:
    names = {name.lower() for name in arguments}
    if commands and (words & _SHELL or names & {"command", "cmd", "commands"}) and not words & {"redis", "rpc"}:
        return "shell"
    if any(
        name.lower() in _CODE_ARGUMENTS and isinstance(value, str) and _LOOKS_LIKE_CODE.search(value)
        for name, value in arguments.items()
    ):
        return "code"
    if (words & _CODE and not words & _GETTERS) or (
        words & (_CODE_NOUNS | _LANGUAGES - {"sql"})
        and words & _CODE_VERBS
        and len(words & (_CODE_NOUNS | _LANGUAGES | _CODE_VERBS)) > 1
    ):
        return "code"
    if words & _CONTENT_VERBS or (words & _GETTERS and words & _CONTENT_NOUNS):
        return "content"
    if words & _REPORT and not words & {"out", "in"}:
        return "report"
    return "action"
