"""What kind of tool answers, by the words of its name and the names of its arguments. Knows no tool by name.

The kind decides how much a text must show before it is read as a failure: the output of `cat` may quote one, the
answer of a tool that books rooms is one if it says so in a sentence.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from proxy.failures.wordsets import wordset

Kind = Literal["shell", "code", "content", "report", "action"]
"""`content`: text by others or made by a model; `report`: the state of something; `action`: everything else."""

_WORD = re.compile(r"[A-Za-z][a-z]*|[A-Z]+(?![a-z])|[一-鿿]+")
_LOOKS_LIKE_CODE = re.compile(r"[(){};=\n<>]|^\s*(?:import|print|select|def|echo)\b", re.IGNORECASE)

SHELL = wordset(
    """
    shell bash terminal command commands cmd exec powershell zsh console subprocess ssh 终端 命令
    """
)
"""Words of tools that run a command line."""
CODE = wordset(
    """
    repl interpreter compiler jupyter notebook sandbox typecheck lint pytest
    """
)
"""Words of tools that run code, alone."""
LANGUAGES = wordset(
    """
    python javascript typescript node java kotlin rust ruby php perl lua go c cpp julia swift scala bash
    sql
    """
)
"""Languages; with a verb of running they make a tool that runs code."""
CODE_NOUNS = wordset(
    """
    code program script scripts cell tests test snippet build types type
    """
)
"""The same for what is run."""
CODE_VERBS = wordset(
    """
    run exec execute eval evaluate interpret compile build check
    """
)
"""Verbs of running."""
CODE_ARGUMENTS = wordset(
    """
    code source program script cell snippet python javascript source_code expression_code
    """
)
"""Arguments that hold code."""
CONTENT_VERBS = wordset(
    """
    describe cat browse scrape crawl grep dump explain classify summarize summarise translate
    suggest recommend advise answer tell draft compose label annotate grade quote echo transcribe ocr
    diff history logs rewrite paraphrase 日志 解释 分类 摘要 翻译 批改
    """
)
"""Verbs whose answer is text."""
CONTENT_NOUNS = wordset(
    """
    log logs file files page pages documentation article ticket tickets issue issues email emails mail
    message messages comment comments thread note notes wiki web url webpage website manual man help
    incident incidents alert alerts post posts chat conversation transcript review reviews knowledge faq
    memo changelog commit commits schema ddl structure tables columns policy policies rules rule
    question questions answer title subject body summary description definition word words codes
    glossary terms guide instructions quote joke fact facts translation caption headline term content
    contents code codebase failed failing failure failures problems warnings reason release trace traces
    stacktrace sentry exception exceptions error errors crash crashes event events audit news snippet text
    文件 网页 文档 工单 邮件 消息 评论
    """
)
"""Things that are text; with a verb of getting they make a tool of content."""
CHECKS = wordset("check validate verify lint compare diff test scan detect inspect audit analyze analyse review")
"""Verbs whose answer is what they found."""
DOCUMENTS = wordset("doc docs document documents 文档")
"""Text for somebody who reads or searches, records for somebody who queries."""
_TEXTS = wordset("wiki wikipedia faq docs documentation man manual news transcript glossary logs changelog knowledge")
"""Texts; a tool that is called so and nothing else shows them."""
_READS = wordset("search read get open view show fetch")
REPORT = wordset(
    """
    check track probe ping monitor health diagnose diagnostics verify validate lint status report inspect
    audit scan compare evaluate metrics statistics traffic state 检查 检测 状态 监控 报告 任务 列表
    """
)
"""Words of tools that report on a state."""
_CHANGES = wordset("out in set update change modify edit create delete add remove toggle switch reset")
"""Words of tools that change a state."""
GETTERS = wordset(
    """
    get list show describe read fetch track poll query search find lookup check inspect view open display print
    load download review 查询 读取 搜索 检索 获取 列表 查看
    """
)
"""Verbs of getting."""
MAKERS = wordset(
    """
    explain classify summarize summarise translate label annotate grade transcribe ocr ask chat complete
    generate suggest recommend advise answer tell draft compose rewrite paraphrase extract detect caption
    """
)
"""Verbs whose answer is made by a model or a recognizer."""
BUSINESS = wordset(
    """
    order orders refund pay payment payout charge transfer withdraw withdrawal deposit book booking
    reserve reservation cancel cancellation ship shipping shipment deliver delivery dispatch checkout
    cart basket coupon voucher redeem loan credit invoice expense expenses claim entry post journal
    ledger accounting enroll enrol enrolment leave vacation appointment slot seat flight room table trip
    rent rental checkin check subscribe subscription upgrade downgrade plan membership auction bid trade
    stock buy sell purchase sku quote approve approval publish campaign prescribe prescription admit
    hire assign discount price contract policy insurance account card wallet points reward rewards gift
    return exchange renew renewal extend vote register registration activate deactivate deploy
    deployment merge vehicle driver course student patient guest customer supplier vendor po budget
    period posting bet stake donation donate tip topup recharge rebook reschedule schedule meeting court
    ticket tickets
    """
)
"""Verbs and things of business."""
BUSINESS_ZH = wordset(
    """
    下单 订单 支付 付款 退款 转账 提现 充值 预订 预约 预定 挂号 报名 取消 退货 换货
    发货 配送 优惠券 兑换 开户 贷款 请假 报销 审批 改签 退票 购买 购票 租 领取 注册
    申请 会议室 库存 发票 签到 投保 理赔
    """
)


def words_of(text: str) -> Iterator[str]:
    """The words of a name or a description, in CamelCase or snake_case; of Chinese each two characters as well."""
    for found in _WORD.finditer(text):
        word = found.group().lower()
        yield word
        if not word.isascii():
            yield from (word[at : at + 2] for at in range(len(word) - 1))


def words_of_tool(name: str) -> list[str]:
    """The words of a tool's name; `git_log` shows the log, `log_event` writes to one."""
    words = list(words_of(name))
    if len(words) > 1 and words[-1] == "log":
        words.append("logs")
    if any(word.endswith(("check", "checker")) for word in words):
        words.append("check")
    return words


def kind_of(words: frozenset[str], arguments: Mapping[str, Any], *, commands: bool) -> Kind:
    """The kind of a tool with these words in its name; `commands`: its arguments hold a command line."""
    names = {name.lower() for name in arguments}
    if commands and (words & SHELL or names & {"command", "cmd", "commands"}) and not words & {"redis", "rpc"}:
        return "shell"
    if _runs_code(words, arguments):
        return "code"
    if (
        (words and words <= _TEXTS)
        or words & CONTENT_VERBS
        or (words & GETTERS and words & CONTENT_NOUNS)
        or (words & DOCUMENTS and words & _READS)
    ):
        return "content"
    return "report" if reports(words) else "action"


def _runs_code(words: frozenset[str], arguments: Mapping[str, Any]) -> bool:
    for name, value in arguments.items():
        if name.lower() in CODE_ARGUMENTS and isinstance(value, str) and _LOOKS_LIKE_CODE.search(value):
            return True
    if words & CODE and not words & GETTERS:
        return True
    things = words & (CODE_NOUNS | LANGUAGES - {"sql"})
    verbs = words & CODE_VERBS
    return bool(things and verbs) and len(things | verbs) > 1


def reports(words: frozenset[str]) -> bool:
    """Whether it reports on a state (`check_in` and `check_out` do not)."""
    return bool(words & REPORT) and not words & _CHANGES
