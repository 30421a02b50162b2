"""The stable list of error codes that a model can see, with type, default advice and one line of meaning each.

A code is a promise: names are added, never changed or dropped, because packs and people write them down. The table
is text, so that it reads as the table that the documentation shows. It knows no reader.

Columns: code | type | retry | meaning in English | meaning in Chinese.
"""

from dataclasses import dataclass
from typing import cast

from proxy.failures.reading import Retry, Type


@dataclass(frozen=True, slots=True)
class Code:
    name: str
    type: Type
    retry: Retry
    en: str
    zh: str


_VALIDATION = """
VALIDATION_FAILED | with_changes | The arguments were checked and refused | 参数校验未通过
MISSING_ARGUMENT | with_changes | A required argument is missing | 缺少必填参数
MISSING_VALUE | with_changes | A value that must not be empty is missing | 缺少不能为空的值
UNKNOWN_ARGUMENT | with_changes | The tool has no such argument | 工具没有该参数
UNKNOWN_FIELD | with_changes | There is no such field | 字段不存在
INVALID_ARGUMENTS | with_changes | The arguments are not valid for this call | 调用参数无效
INVALID_TYPE | with_changes | A value has the wrong type | 值的类型错误
INVALID_VALUE | with_changes | A value is not acceptable | 值无效
INVALID_ENUM_VALUE | with_changes | The value is none of the allowed ones | 值不在允许的范围内
VALUE_OUT_OF_RANGE | with_changes | A number, length or size is outside the allowed range | 数值、长度或大小超出范围
INVALID_NUMBER | with_changes | The text is no number | 文本不是有效数字
INVALID_DATE | with_changes | The text is no date or time in the expected form | 日期或时间格式无效
UNKNOWN_TIMEZONE | with_changes | There is no such time zone | 时区不存在
INVALID_EMAIL | with_changes | The e-mail address is not valid | 邮箱地址无效
INVALID_PHONE_NUMBER | with_changes | The phone number is not valid | 电话号码无效
INVALID_URL | with_changes | The URL is not valid or of an unsupported scheme | URL 无效或协议不受支持
INVALID_FORMAT | with_changes | The text does not have the expected form | 文本格式不正确
INVALID_JSON | with_changes | The text is no valid JSON | 文本不是有效的 JSON
INVALID_YAML | with_changes | The text is no valid YAML | 文本不是有效的 YAML
INVALID_TOML | with_changes | The text is no valid TOML | 文本不是有效的 TOML
INVALID_XML | with_changes | The text is no valid XML or HTML | 文本不是有效的 XML 或 HTML
INVALID_CSV | with_changes | The text is no valid CSV | 文本不是有效的 CSV
INVALID_REGEX | with_changes | The regular expression is not valid | 正则表达式无效
INVALID_TEMPLATE | with_changes | The template cannot be rendered | 模板无法渲染
INVALID_FILE | with_changes | The file is damaged or of another kind than expected | 文件损坏或类型不符
UNSUPPORTED_FORMAT | with_changes | The format is not supported | 格式不受支持
INVALID_ENCODING | with_changes | The text cannot be decoded or encoded with that encoding | 文本编码错误
UNKNOWN_UNIT | with_changes | There is no such unit | 单位不存在
INVALID_UNITS | with_changes | The units do not fit together | 单位不匹配
SHAPE_MISMATCH | with_changes | Sizes or shapes of the data do not fit together | 数据形状不匹配
NUMERICAL_ERROR | with_changes | The computation has no result for these numbers | 该数据无法完成数值计算
DIVISION_BY_ZERO | with_changes | Division by zero | 除数为零
UNKNOWN_COLUMN | with_changes | A column that is named does not exist | 所引用的列不存在
UNKNOWN_TABLE | with_changes | A table that is named does not exist | 所引用的表不存在
MULTIPLE_RESULTS | with_changes | More than one was found where one was expected | 找到多个结果，但只应有一个
UNKNOWN_FUNCTION | with_changes | A function that is called does not exist | 所调用的函数不存在
AMBIGUOUS_COLUMN | with_changes | A column name is ambiguous | 列名不明确
EDIT_MISMATCH | with_changes | The text to be replaced was not found, or more than once | 待替换的文本未找到或不唯一
SQL_SYNTAX_ERROR | with_changes | The SQL is not valid | SQL 语法错误
INVALID_QUERY | with_changes | The query is not valid | 查询无效
WRONG_PARAMETER_COUNT | with_changes | The number of parameters does not fit | 参数个数不符
CHECK_VIOLATION | with_changes | A check of the database refuses the value | 违反数据库检查约束
SYNTAX_ERROR | with_changes | The code or configuration has a syntax error | 代码或配置存在语法错误
NAME_ERROR | with_changes | A name in the code is not defined | 代码中的名称未定义
COMPILE_ERROR | with_changes | The code does not compile | 代码无法编译
TYPE_CHECK_FAILED | with_changes | The type checker found errors | 类型检查未通过
LINT_FAILED | with_changes | The linter found problems | 代码检查发现问题
BUILD_FAILED | with_changes | The build failed | 构建失败
IMPORT_NOT_ALLOWED | with_changes | The sandbox does not allow this code | 沙箱不允许执行该代码
UNKNOWN_COMMAND | with_changes | There is no such command or operation | 命令或操作不存在
UNKNOWN_OPTION | with_changes | There is no such option | 选项不存在
INVALID_OPTION_VALUE | with_changes | The value of an option is not valid | 选项的值无效
USAGE_ERROR | with_changes | The command was called in a wrong way | 命令用法错误
IS_A_DIRECTORY | with_changes | A file was expected, but the path is a directory | 路径是目录而不是文件
NOT_A_DIRECTORY | with_changes | A directory was expected, but the path is a file | 路径不是目录
DIRECTORY_NOT_EMPTY | with_changes | The directory is not empty | 目录非空
WRONG_TYPE | with_changes | The operation does not fit the kind of the object | 操作与对象类型不符
PAYLOAD_TOO_LARGE | with_changes | The request is too large | 请求内容过大
CONTEXT_LENGTH_EXCEEDED | with_changes | The text is longer than the model can take | 文本超过模型的上下文长度
INVALID_REQUEST | with_changes | The request is not valid | 请求无效
INVALID_PARAMS | with_changes | The parameters of the method are not valid | 方法参数无效
METHOD_NOT_ALLOWED | with_changes | The method is not allowed here | 不允许使用该方法
INVALID_SCHEMA | no | A schema or definition behind the tool is not valid | 工具的模式定义无效
NOT_A_GIT_REPOSITORY | with_changes | The folder is no git repository | 当前目录不是 git 仓库
MISSING_IDENTITY | with_changes | No author identity is configured | 未配置提交者身份
"""

_NOT_FOUND = """
NOT_FOUND | with_changes | What was asked for does not exist | 请求的对象不存在
FILE_NOT_FOUND | with_changes | The file does not exist | 文件不存在
DIRECTORY_NOT_FOUND | with_changes | The directory does not exist | 目录不存在
KEY_NOT_FOUND | with_changes | The key does not exist | 键不存在
CLASS_NOT_FOUND | with_changes | The class or module does not exist | 类或模块不存在
REF_NOT_FOUND | with_changes | The branch, tag or revision does not exist | 分支、标签或版本不存在
DATABASE_NOT_FOUND | no | The database does not exist | 数据库不存在
SHEET_NOT_FOUND | with_changes | The sheet does not exist | 工作表不存在
UNKNOWN_TOOL | with_changes | There is no tool of that name | 没有该名称的工具
UNKNOWN_RECIPIENT | with_changes | The recipient does not exist | 收件人不存在
NO_ROUTE | with_changes | There is no path between the two | 两者之间没有路径
GONE | no | It existed and is gone for good | 对象已被永久删除
"""

_AUTH = """
UNAUTHORIZED | no | The service does not accept the credentials of the tool | 服务拒绝了工具的凭据
AUTHENTICATION_FAILED | no | The login of the tool failed | 工具登录失败
MISSING_CREDENTIALS | no | The tool has no credentials | 工具缺少凭据
TOKEN_EXPIRED | no | The token of the tool has expired | 工具的令牌已过期
INVALID_TOKEN | no | The token is not valid | 令牌无效
FORBIDDEN | no | The service does not allow this | 服务不允许该操作
PERMISSION_DENIED | no | The tool lacks the permission | 工具没有权限
READ_ONLY | no | The connection or file system allows reading only | 只允许读取
UNKNOWN_HOST_KEY | no | The host's key is not known or has changed | 主机密钥未知或已变更
"""

_TRANSIENT = """
RATE_LIMITED | rate_limit | as_is | Too many requests in a short time | 请求过于频繁
QUOTA_EXCEEDED | rate_limit | no | A quota is used up; waiting a moment does not help | 配额已用尽，短暂等待无效
TIMEOUT | timeout | as_is | The tool did not answer in time | 工具未在限定时间内响应
NO_MESSAGE | timeout | as_is | The error has no text; most often that is a timeout | 错误没有文字说明，多为超时
QUERY_TIMEOUT | timeout | with_changes | The query ran too long and was stopped | 查询耗时过长，已被中止
COMMAND_TIMEOUT | timeout | with_changes | The command ran too long and was stopped | 命令耗时过长，已被中止
GATEWAY_TIMEOUT | timeout | as_is | The service behind the tool did not answer in time | 后端服务未及时响应
DEADLINE_EXCEEDED | timeout | as_is | The deadline passed before the work was done | 在截止时间前未完成
CANCELLED | timeout | as_is | The work was cancelled before it was done | 操作在完成前被取消
CONNECTION_REFUSED | communication | as_is | The connection was refused | 连接被拒绝
CONNECTION_RESET | communication | as_is | The connection was cut | 连接被中断
CONNECTION_LOST | communication | as_is | The connection was lost | 连接丢失
CONNECTION_FAILED | communication | as_is | No connection could be made | 无法建立连接
DNS_FAILURE | communication | as_is | The host name could not be resolved | 主机名无法解析
NETWORK_UNREACHABLE | communication | as_is | The network or host cannot be reached | 网络或主机不可达
INCOMPLETE_RESPONSE | communication | as_is | The answer broke off | 响应不完整
EMPTY_REPLY | communication | as_is | The service answered nothing | 服务未返回任何内容
RETRIES_EXHAUSTED | communication | as_is | Several attempts failed | 多次尝试均失败
TLS_CERTIFICATE_ERROR | communication | no | The certificate of the host is not trusted | 主机证书不受信任
TLS_ERROR | communication | no | No secure connection could be made | 无法建立安全连接
PROXY_ERROR | communication | as_is | The network proxy failed | 网络代理出错
TOO_MANY_REDIRECTS | communication | no | The URL redirects without end | 重定向次数过多
SERVICE_UNAVAILABLE | unavailable | as_is | The service is not available at the moment | 服务暂时不可用
SERVICE_OVERLOADED | unavailable | as_is | The service is overloaded | 服务过载
BAD_GATEWAY | unavailable | as_is | The service behind the tool failed | 后端服务出错
UPSTREAM_ERROR | unavailable | as_is | The service had an internal error | 服务内部错误
DATABASE_UNAVAILABLE | unavailable | as_is | The database is not available | 数据库不可用
CIRCUIT_OPEN | unavailable | as_is | The tool is paused after many failures | 因多次失败，工具已暂停
READ_ONLY_REPLICA | unavailable | as_is | The server takes no writes at the moment | 服务器暂不接受写入
DAEMON_NOT_RUNNING | unavailable | no | A program that the tool needs is not running | 工具依赖的程序未运行
COMMAND_NOT_FOUND | unavailable | no | A program that is needed is not installed | 所需程序未安装
"""

_CONFLICT = """
CONFLICT | no | The state of the object does not allow this | 对象当前状态不允许该操作
DUPLICATE_VALUE | no | A value that must be unique exists already | 唯一值已存在
ALREADY_EXISTS | with_changes | It exists already | 对象已存在
STILL_REFERENCED | no | Other records still refer to it | 仍被其他记录引用
MISSING_REFERENCE | with_changes | A record that is referred to does not exist | 被引用的记录不存在
DEADLOCK | as_is | Two transactions blocked each other | 事务发生死锁
SERIALIZATION_FAILURE | as_is | A concurrent change interfered | 并发修改冲突
LOCKED | as_is | It is locked by somebody else at the moment | 对象正被占用
LOCK_NOT_ACQUIRED | as_is | A lock could not be taken | 未能获得锁
VERSION_CONFLICT | with_changes | It was changed in the meantime; read it again first | 对象已被修改，请先重新读取
PRECONDITION_FAILED | with_changes | A condition of the request is not met | 请求的前提条件不满足
IDEMPOTENCY_CONFLICT | with_changes | The idempotency key was used with other parameters | 幂等键已用于其他参数
MERGE_CONFLICT | with_changes | The changes conflict | 合并冲突
UNCOMMITTED_CHANGES | with_changes | Local changes stand in the way | 存在未提交的本地修改
PATCH_FAILED | with_changes | The patch does not fit the text | 补丁无法应用
PORT_IN_USE | with_changes | The address or port is in use | 地址或端口已被占用
"""

_BUSINESS = """
OUT_OF_STOCK | with_changes | There is not enough stock | 库存不足
INSUFFICIENT_FUNDS | no | There is not enough money or credit | 余额或额度不足
CARD_DECLINED | no | The payment was declined | 支付被拒绝
LIMIT_EXCEEDED | with_changes | A limit of the business is exceeded | 超出业务限额
MINIMUM_NOT_MET | no | A minimum is not reached | 未达到最低要求
DEADLINE_PASSED | no | The time allowed for this is over | 已超过允许的期限
ALREADY_DONE | no | It is in a state that cannot be changed like this | 当前状态下无法执行该操作
DOUBLE_BOOKING | with_changes | It is taken at that time | 该时段已被占用
CAPACITY_REACHED | no | There is no place left | 名额已满
NOT_ELIGIBLE | no | The conditions for this are not met | 不符合条件
AGE_RESTRICTED | no | There is an age limit | 存在年龄限制
ACCOUNT_BLOCKED | no | The account is blocked | 账户被锁定或停用
APPROVAL_REQUIRED | no | Somebody has to approve this first | 需要先审批
FORBIDDEN_BY_POLICY | no | A rule of the business forbids this | 业务规则不允许
RECIPIENT_UNSUBSCRIBED | no | The recipient does not want messages | 收件人已退订
REFUND_EXCEEDS_PAYMENT | with_changes | More would be refunded than was paid | 退款金额超过支付金额
BUSINESS_RULE | no | A rule of the business refuses this | 业务规则拒绝该操作
"""

_RESOURCE = """
OUT_OF_MEMORY | no | There is not enough memory | 内存不足
DISK_FULL | no | There is no space left | 磁盘空间不足
TOO_MANY_OPEN_FILES | no | Too many files are open | 打开的文件过多
RESOURCE_EXHAUSTED | no | A resource of the tool is used up | 资源耗尽
CONNECTION_POOL_EXHAUSTED | as_is | All connections are in use | 连接已用尽
OUTPUT_TOO_LARGE | with_changes | The result is too large | 结果过大
"""

_BUG = """
UNKNOWN_ERROR | no | The tool failed and did not say why | 工具失败且未说明原因
TOOL_BUG | no | The tool itself has a fault | 工具本身存在缺陷
CODE_ERROR | with_changes | The code that was run has a fault | 所运行的代码存在错误
NULL_REFERENCE | with_changes | The code used a value that is not there | 代码使用了空值
INDEX_OUT_OF_RANGE | with_changes | The code used an index out of range | 索引越界
RECURSION_LIMIT | with_changes | The code calls itself without end | 递归过深
ASSERTION_FAILED | with_changes | A check inside the code failed | 断言失败
CRASHED | no | The program crashed | 程序崩溃
WORKER_CRASHED | no | A worker of the tool crashed | 工作进程崩溃
TESTS_FAILED | with_changes | Tests failed | 测试未通过
COMMAND_FAILED | with_changes | The command failed | 命令执行失败
CONFIGURATION_ERROR | no | The tool is set up wrongly | 工具配置错误
MISSING_DEPENDENCY | no | A module that is needed is not installed | 缺少依赖模块
INVALID_RESPONSE | no | The service answered something that the tool cannot read | 服务的响应无法解析
NO_INPUT | no | The program waits for input that nobody can give | 程序需要交互输入
NOT_IMPLEMENTED | no | The tool cannot do this | 工具未实现该功能
"""

_HANDRAIL = """
OUTPUT_CUT | validation | with_changes | The model's output ended before the arguments did | 模型输出在参数写完前被截断
NOT_EXECUTED | validation | as_is | A valid call beside an invalid one, not made | 同轮另一调用无效，未执行
OUTCOME_UNKNOWN | conflict | no | A side effect was started, its outcome is not known | 操作已发出但结果未知
TOOL_UNAVAILABLE | unavailable | as_is | The tool kept failing and is not called for a while | 工具连续失败，暂停调用
UNKNOWN_CURSOR | validation | with_changes | A cursor that this conversation does not know | 本次对话中没有该 cursor
RESULT_GONE | not_found | with_changes | The original of a cut result is not there any more | 被截断结果的原文已不可用
"""
"""Codes that no tool causes: Handrail itself says these."""


def _rows(table: str, kind: str | None) -> list[Code]:
    codes = []
    for line in table.strip().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if kind is not None:
            cells.insert(1, kind)
        name, of_type, retry, en, zh = cells
        codes.append(Code(name, cast("Type", of_type), cast("Retry", retry), en, zh))
    return codes


ALL: tuple[Code, ...] = (
    *_rows(_VALIDATION, "validation"),
    *_rows(_NOT_FOUND, "not_found"),
    *_rows(_AUTH, "auth"),
    *_rows(_TRANSIENT, None),
    *_rows(_CONFLICT, "conflict"),
    *_rows(_BUSINESS, "business_rejection"),
    *_rows(_RESOURCE, "resource"),
    *_rows(_BUG, "bug"),
    *_rows(_HANDRAIL, None),
)
BY_NAME: dict[str, Code] = {code.name: code for code in ALL}


def documented() -> str:
    """The list as a markdown table, for the documentation."""
    lines = ["| code | type | retry | meaning |", "|---|---|---|---|"]
    lines += [f"| `{code.name}` | {code.type} | {code.retry} | {code.en} |" for code in ALL]
    return "\n".join(lines) + "\n"
