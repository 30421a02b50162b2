"""What machine codes mean: HTTP statuses, SQLSTATEs, database error numbers, errno, gRPC, curl's exit codes.

Tables of public standards and of the databases' own manuals, no sentences. A strong code decides; a weak one
(400, 422, 500, SQLSTATE HV000 …) only says who is at fault, and words that are more precise outrank it.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine code found in a text. `said` is how it stands there."""

    code: str
    strong: bool
    said: str


HTTP_STRONG = {
    401: "UNAUTHORIZED",
    402: "CARD_DECLINED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    407: "PROXY_ERROR",
    408: "TIMEOUT",
    409: "CONFLICT",
    410: "GONE",
    412: "PRECONDITION_FAILED",
    413: "PAYLOAD_TOO_LARGE",
    415: "UNSUPPORTED_FORMAT",
    423: "LOCKED",
    425: "SERVICE_UNAVAILABLE",
    428: "PRECONDITION_FAILED",
    429: "RATE_LIMITED",
    431: "PAYLOAD_TOO_LARGE",
    451: "FORBIDDEN",
    502: "BAD_GATEWAY",
    503: "SERVICE_UNAVAILABLE",
    504: "GATEWAY_TIMEOUT",
    507: "DISK_FULL",
    511: "UNAUTHORIZED",
    520: "BAD_GATEWAY",
    521: "SERVICE_UNAVAILABLE",
    522: "GATEWAY_TIMEOUT",
    523: "NETWORK_UNREACHABLE",
    524: "GATEWAY_TIMEOUT",
    525: "TLS_ERROR",
    526: "TLS_CERTIFICATE_ERROR",
    529: "SERVICE_OVERLOADED",
}
HTTP_WEAK = {
    400: "INVALID_REQUEST",
    406: "INVALID_REQUEST",
    411: "INVALID_REQUEST",
    414: "INVALID_REQUEST",
    416: "VALUE_OUT_OF_RANGE",
    417: "INVALID_REQUEST",
    422: "VALIDATION_FAILED",
    424: "UPSTREAM_ERROR",
    500: "UPSTREAM_ERROR",
    501: "NOT_IMPLEMENTED",
    505: "INVALID_REQUEST",
    508: "UPSTREAM_ERROR",
}

_PHRASES = (
    "Bad Request|Unauthorized|Payment Required|Forbidden|Not Found|Method Not Allowed|Not Acceptable|Proxy Authentication Required"
    "|Request Time-?out|Conflict|Gone|Precondition Failed|Payload Too Large|Content Too Large|Request Entity Too Large|Unsupported Media Type"
    "|Unprocessable (?:Entity|Content)|Locked|Too Many Requests|Internal Server Error|Not Implemented|Bad Gateway"
    "|Service (?:Temporarily )?Unavailable|Gateway Time-?out|Insufficient Storage"
)
_HTTP = re.compile(
    rf"\b([45]\d\d)\b[ :,\-–(]{{0,4}}(?:Client Error|Server Error|{_PHRASES})"
    r"|(?:\bHTTP(?:S|/\d(?:\.\d)?)?|\bstatus(?:[ _-]?code)?|\bresponse[ _-]?(?:code|status)|\bcode|\berror|\breturned|\bgot|\bcode is|\bwith|\bresponse|\breceived)"
    r"(?: (?:an? )?(?:HTTP|status(?: code)?|error(?: code)?|code|response))*['\"]?[ :=(#\[]{1,4}(?:HTTP )?([45]\d\d)\b(?![.,]?\d)"
    r"|^\W{0,2}([45]\d\d)\W{0,2}(?:\s|$|:)"
    r"|\btoo many ([45]\d\d) error responses|\b([45]\d\d) (?:error|response|status)\b|(?:状态码|返回|响应码)[ :：为]{0,3}([45]\d\d)|\[([45]\d\d)\]|\(([45]\d\d)\)",
    re.IGNORECASE,
)

_SQLSTATE = {
    "08": "CONNECTION_FAILED",
    "0A": "NOT_IMPLEMENTED",
    "21": "INVALID_QUERY",
    "22": "INVALID_VALUE",
    "23": "CONFLICT",
    "25": "READ_ONLY",
    "28": "AUTHENTICATION_FAILED",
    "3D": "DATABASE_NOT_FOUND",
    "3F": "UNKNOWN_TABLE",
    "40": "SERIALIZATION_FAILURE",
    "42": "INVALID_QUERY",
    "53": "RESOURCE_EXHAUSTED",
    "54": "INVALID_QUERY",
    "55": "CONFLICT",
    "57": "CONNECTION_LOST",
    "58": "DATABASE_UNAVAILABLE",
    "22001": "VALUE_OUT_OF_RANGE",
    "22003": "VALUE_OUT_OF_RANGE",
    "22007": "INVALID_DATE",
    "22008": "INVALID_DATE",
    "22012": "DIVISION_BY_ZERO",
    "22P02": "INVALID_VALUE",
    "23502": "MISSING_VALUE",
    "23503": "MISSING_REFERENCE",
    "23505": "DUPLICATE_VALUE",
    "23514": "CHECK_VIOLATION",
    "25006": "READ_ONLY",
    "40001": "SERIALIZATION_FAILURE",
    "40P01": "DEADLOCK",
    "42501": "PERMISSION_DENIED",
    "42601": "SQL_SYNTAX_ERROR",
    "42602": "SQL_SYNTAX_ERROR",
    "42702": "AMBIGUOUS_COLUMN",
    "42703": "UNKNOWN_COLUMN",
    "42P01": "UNKNOWN_TABLE",
    "42883": "UNKNOWN_FUNCTION",
    "42804": "INVALID_TYPE",
    "42S02": "UNKNOWN_TABLE",
    "42S22": "UNKNOWN_COLUMN",
    "42000": "SQL_SYNTAX_ERROR",
    "53100": "DISK_FULL",
    "53200": "OUT_OF_MEMORY",
    "53300": "CONNECTION_POOL_EXHAUSTED",
    "55P03": "LOCK_NOT_ACQUIRED",
    "57014": "QUERY_TIMEOUT",
    "57P03": "DATABASE_UNAVAILABLE",
    "HYT00": "TIMEOUT",
    "HYT01": "TIMEOUT",
    "IM002": "CONFIGURATION_ERROR",
    "P0002": "NOT_FOUND",
}
_STATE = re.compile(
    r"(?:SQLSTATE|sqlstate|SqlState|pgcode)[\"']?[ :=(\[]{1,4}['\"]?([0-9A-Z]{5})\b|\(([0-9A-Z]{5})\):|^\W{1,3}([0-9A-Z]{2}[0-9A-Z]{3})['\"], |\bcode: '([0-9][0-9A-Z]{4})'|\[([0-9A-Z]{5})\] "
)

_DATABASE = {
    # MySQL and MariaDB
    1040: "CONNECTION_POOL_EXHAUSTED",
    1044: "PERMISSION_DENIED",
    1045: "AUTHENTICATION_FAILED",
    1046: "CONFIGURATION_ERROR",
    1048: "MISSING_VALUE",
    1049: "DATABASE_NOT_FOUND",
    1052: "AMBIGUOUS_COLUMN",
    1054: "UNKNOWN_COLUMN",
    1062: "DUPLICATE_VALUE",
    1064: "SQL_SYNTAX_ERROR",
    1142: "PERMISSION_DENIED",
    1146: "UNKNOWN_TABLE",
    1205: "LOCK_NOT_ACQUIRED",
    1213: "DEADLOCK",
    1264: "VALUE_OUT_OF_RANGE",
    1290: "READ_ONLY",
    1292: "INVALID_VALUE",
    1305: "UNKNOWN_FUNCTION",
    1364: "MISSING_VALUE",
    1366: "INVALID_VALUE",
    1406: "VALUE_OUT_OF_RANGE",
    1451: "STILL_REFERENCED",
    1452: "MISSING_REFERENCE",
    2002: "CONNECTION_FAILED",
    2003: "CONNECTION_FAILED",
    2005: "DNS_FAILURE",
    2006: "CONNECTION_LOST",
    2013: "CONNECTION_LOST",
    3024: "QUERY_TIMEOUT",
    3819: "CHECK_VIOLATION",
    # SQL Server
    102: "SQL_SYNTAX_ERROR",
    156: "SQL_SYNTAX_ERROR",
    207: "UNKNOWN_COLUMN",
    208: "UNKNOWN_TABLE",
    229: "PERMISSION_DENIED",
    515: "MISSING_VALUE",
    547: "MISSING_REFERENCE",
    2601: "DUPLICATE_VALUE",
    2627: "DUPLICATE_VALUE",
    4060: "DATABASE_NOT_FOUND",
    18456: "AUTHENTICATION_FAILED",
}
_ORACLE = {
    1: "DUPLICATE_VALUE", 54: "LOCK_NOT_ACQUIRED", 60: "DEADLOCK", 900: "SQL_SYNTAX_ERROR", 904: "UNKNOWN_COLUMN", 907: "SQL_SYNTAX_ERROR", 911: "SQL_SYNTAX_ERROR",
    918: "AMBIGUOUS_COLUMN", 923: "SQL_SYNTAX_ERROR", 933: "SQL_SYNTAX_ERROR", 936: "SQL_SYNTAX_ERROR", 942: "UNKNOWN_TABLE", 1013: "QUERY_TIMEOUT", 1017: "AUTHENTICATION_FAILED",
    1031: "PERMISSION_DENIED", 1033: "DATABASE_UNAVAILABLE", 1034: "DATABASE_UNAVAILABLE", 1400: "MISSING_VALUE", 1403: "NOT_FOUND", 1438: "VALUE_OUT_OF_RANGE", 1476: "DIVISION_BY_ZERO",
    1722: "INVALID_NUMBER", 1843: "INVALID_DATE", 1858: "INVALID_DATE", 1861: "INVALID_DATE", 2290: "CHECK_VIOLATION", 2291: "MISSING_REFERENCE", 2292: "STILL_REFERENCED",
    3113: "CONNECTION_LOST", 3114: "CONNECTION_LOST", 12154: "CONFIGURATION_ERROR", 12170: "TIMEOUT", 12505: "DATABASE_NOT_FOUND", 12514: "DATABASE_UNAVAILABLE", 12541: "CONNECTION_REFUSED",
    12899: "VALUE_OUT_OF_RANGE", 28000: "AUTHENTICATION_FAILED", 28001: "AUTHENTICATION_FAILED",
}  # fmt: skip
_ORA = re.compile(r"\bORA-(\d{5})\b")
_NUMBER = re.compile(
    r"^\W{0,3}\((\d{3,5}), b?['\"]|\bERROR (\d{4})(?: \(|:)|\bMsg (\d{3,5}), Level|^\W{0,3}(\d{4,5}) \([0-9A-Z]{5}\):"
)

_ERRNO = {
    "EACCES": "PERMISSION_DENIED",
    "EPERM": "PERMISSION_DENIED",
    "ENOENT": "FILE_NOT_FOUND",
    "EISDIR": "IS_A_DIRECTORY",
    "ENOTDIR": "NOT_A_DIRECTORY",
    "ENOTEMPTY": "DIRECTORY_NOT_EMPTY",
    "EEXIST": "ALREADY_EXISTS",
    "EMFILE": "TOO_MANY_OPEN_FILES",
    "ENFILE": "TOO_MANY_OPEN_FILES",
    "ENOSPC": "DISK_FULL",
    "EDQUOT": "DISK_FULL",
    "ENOMEM": "OUT_OF_MEMORY",
    "EROFS": "READ_ONLY",
    "EBUSY": "LOCKED",
    "ETXTBSY": "LOCKED",
    "EADDRINUSE": "PORT_IN_USE",
    "ECONNREFUSED": "CONNECTION_REFUSED",
    "ECONNRESET": "CONNECTION_RESET",
    "ECONNABORTED": "CONNECTION_RESET",
    "EPIPE": "CONNECTION_RESET",
    "ENOTCONN": "CONNECTION_LOST",
    "ETIMEDOUT": "TIMEOUT",
    "ESOCKETTIMEDOUT": "TIMEOUT",
    "EHOSTUNREACH": "NETWORK_UNREACHABLE",
    "ENETUNREACH": "NETWORK_UNREACHABLE",
    "ENETDOWN": "NETWORK_UNREACHABLE",
    "ENOTFOUND": "DNS_FAILURE",
    "EAI_AGAIN": "DNS_FAILURE",
    "EAI_NONAME": "DNS_FAILURE",
    "ENAMETOOLONG": "VALUE_OUT_OF_RANGE",
    "EXDEV": "INVALID_REQUEST",
    "EINVAL": "INVALID_VALUE",
    "ELOOP": "INVALID_VALUE",
    "ERANGE": "VALUE_OUT_OF_RANGE",
    "EDOM": "NUMERICAL_ERROR",
    "EPROTO": "TLS_ERROR",
    "ENOSYS": "NOT_IMPLEMENTED",
    "ENOEXEC": "INVALID_FILE",
}
_ERRNO_NUMBERS = {
    1: "EPERM", 2: "ENOENT", 11: "EBUSY", 12: "ENOMEM", 13: "EACCES", 16: "EBUSY", 17: "EEXIST", 18: "EXDEV", 20: "ENOTDIR",
    21: "EISDIR", 22: "EINVAL", 23: "ENFILE", 24: "EMFILE", 26: "ETXTBSY", 28: "ENOSPC", 30: "EROFS", 32: "EPIPE", 33: "EDOM", 34: "ERANGE",
    36: "ENAMETOOLONG", 38: "ENOSYS", 39: "ENOTEMPTY", 98: "EADDRINUSE", 100: "ENETDOWN", 101: "ENETUNREACH", 103: "ECONNABORTED",
    104: "ECONNRESET", 107: "ENOTCONN", 110: "ETIMEDOUT", 111: "ECONNREFUSED", 113: "EHOSTUNREACH", 122: "EDQUOT",
    10048: "EADDRINUSE", 10051: "ENETUNREACH", 10053: "ECONNABORTED", 10054: "ECONNRESET", 10060: "ETIMEDOUT", 10061: "ECONNREFUSED",
    10065: "EHOSTUNREACH", 11001: "ENOTFOUND", 48: "EADDRINUSE", 54: "ECONNRESET", 60: "ETIMEDOUT", 61: "ECONNREFUSED",
}  # fmt: skip
_WINDOWS = {
    2: "ENOENT",
    3: "ENOENT",
    5: "EACCES",
    32: "EBUSY",
    33: "EBUSY",
    80: "EEXIST",
    112: "ENOSPC",
    123: "EINVAL",
    183: "EEXIST",
    267: "ENOTDIR",
    1225: "ECONNREFUSED",
}
_ERRNO_NAME = re.compile(r"\b(E[A-Z]{3,15}(?:_[A-Z]{4,8})?)\b")
_ERRNO_NUMBER = re.compile(
    r"\[(?:Errno|WinError (?=\d{5})) ?(\d{1,5})\]|\(os error (\d{1,5})\)|\berrno:? ?=? ?-?(\d{1,5})\b", re.IGNORECASE
)

GRPC = {
    "CANCELLED": "CANCELLED",
    "UNKNOWN": "",
    "INVALID_ARGUMENT": "VALIDATION_FAILED",
    "DEADLINE_EXCEEDED": "DEADLINE_EXCEEDED",
    "NOT_FOUND": "NOT_FOUND",
    "ALREADY_EXISTS": "ALREADY_EXISTS",
    "PERMISSION_DENIED": "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED": "RATE_LIMITED",
    "FAILED_PRECONDITION": "CONFLICT",
    "ABORTED": "SERIALIZATION_FAILURE",
    "OUT_OF_RANGE": "VALUE_OUT_OF_RANGE",
    "UNIMPLEMENTED": "NOT_IMPLEMENTED",
    "INTERNAL": "UPSTREAM_ERROR",
    "UNAVAILABLE": "SERVICE_UNAVAILABLE",
    "DATA_LOSS": "UPSTREAM_ERROR",
    "UNAUTHENTICATED": "UNAUTHORIZED",
}
_GRPC_WEAK = frozenset(
    "INVALID_ARGUMENT FAILED_PRECONDITION INTERNAL ABORTED UNIMPLEMENTED UNAVAILABLE RESOURCE_EXHAUSTED".split()
)
_GRPC = re.compile(
    r"(?:StatusCode\.|code ?= ?|status ?[=:] ?(?:StatusCode\.)?|grpc(?:[_-]?status)?[ :=]+\"?|rpc error: code = )\"?([A-Z][A-Za-z_]{5,20})\b|^(?:\d{1,2} )([A-Z]{5,10}(?:_[A-Z]{4,12})?): |\"status\": ?\"([A-Z_]{6,20})\""
)

_CURL = {
    3: "INVALID_URL", 5: "DNS_FAILURE", 6: "DNS_FAILURE", 7: "CONNECTION_REFUSED", 18: "INCOMPLETE_RESPONSE", 22: "", 23: "DISK_FULL",
    26: "FILE_NOT_FOUND", 28: "TIMEOUT", 35: "TLS_ERROR", 37: "FILE_NOT_FOUND", 47: "TOO_MANY_REDIRECTS", 51: "TLS_CERTIFICATE_ERROR", 52: "EMPTY_REPLY",
    55: "CONNECTION_RESET", 56: "CONNECTION_RESET", 58: "TLS_CERTIFICATE_ERROR", 60: "TLS_CERTIFICATE_ERROR", 67: "AUTHENTICATION_FAILED",
    77: "TLS_CERTIFICATE_ERROR", 78: "FILE_NOT_FOUND", 1: "INVALID_URL", 2: "USAGE_ERROR", 92: "CONNECTION_RESET",
}  # fmt: skip
_CURL_CODE = re.compile(
    r"\bcurl: \((\d{1,2})\)|\bcurl error (\d{1,2})\b|\bpycurl\.error: \((\d{1,2}),|\(([1-9]\d?), '(?:Could not|Failed|Connection|SSL|Operation|Recv|The requested)",
    re.IGNORECASE,
)


_MAIL = re.compile(r"(?:^|[\s('\"])([245]\d\d)[\s,-]{1,3}b?['\"]?[245]\.(\d{1,3})\.(\d{1,3})\b")
_MAIL_SUBJECT = {
    "1": "UNKNOWN_RECIPIENT",
    "2": "RESOURCE_EXHAUSTED",
    "3": "SERVICE_UNAVAILABLE",
    "4": "CONNECTION_FAILED",
    "5": "INVALID_REQUEST",
    "6": "UNSUPPORTED_FORMAT",
    "7": "AUTHENTICATION_FAILED",
}


def mail(text: str) -> Machine | None:
    """An SMTP reply with an enhanced status (RFC 3463): a 4xx passes, the subject digit tells the rest."""
    found = _MAIL.search(text[:4000])
    if not found:
        return None
    said = f"{found.group(1)} {found.group(2)}"
    if found.group(1).startswith("4"):
        return Machine("SERVICE_UNAVAILABLE", strong=True, said=said)
    if code := _MAIL_SUBJECT.get(found.group(2)):
        return Machine(code, strong=True, said=said)
    return None


def http_status(text: str) -> int:
    """The first HTTP error status that `text` speaks of; 0 if none."""
    found = _HTTP.search(text[:4000])
    return int(next(group for group in found.groups() if group)) if found else 0


def http(status: int) -> Machine | None:
    """What an HTTP status means; unknown 4xx and 5xx are weak."""
    if code := HTTP_STRONG.get(status):
        return Machine(code, strong=True, said=f"HTTP {status}")
    if code := HTTP_WEAK.get(status):
        return Machine(code, strong=False, said=f"HTTP {status}")
    if 400 <= status < 600:
        return Machine("INVALID_REQUEST" if status < 500 else "UPSTREAM_ERROR", strong=False, said=f"HTTP {status}")
    return None


def sqlstate(text: str) -> Machine | None:
    for found in _STATE.finditer(text[:4000]):
        state = next(group for group in found.groups() if group)
        if not any(char.isdigit() for char in state):
            continue
        code = _SQLSTATE.get(state)
        if code:
            return Machine(code, strong=state not in {"42000", "23000"}, said=f"SQLSTATE {state}")
        if code := _SQLSTATE.get(state[:2]):
            return Machine(code, strong=False, said=f"SQLSTATE {state}")
    oracle = _ORA.search(text[:4000])
    if oracle and (code := _ORACLE.get(int(oracle.group(1)))):
        return Machine(code, strong=True, said=oracle.group())
    found_number = _NUMBER.search(text[:4000])
    if found_number:
        number = next(group for group in found_number.groups() if group)
        if code := _DATABASE.get(int(number)):
            return Machine(code, strong=True, said=number)
    return None


def errno(text: str) -> Machine | None:
    for found in _ERRNO_NAME.finditer(text[:4000]):
        if code := _ERRNO.get(found.group(1)):
            return Machine(code, strong=True, said=found.group(1))
    number = _ERRNO_NUMBER.search(text[:4000])
    windows = re.search(r"\[WinError (\d{1,4})\]", text[:4000])
    if windows and (name := _WINDOWS.get(int(windows.group(1)), "")):
        return Machine(_ERRNO[name], strong=True, said=f"WinError {windows.group(1)}")
    if number:
        name = _ERRNO_NUMBERS.get(int(next(group for group in number.groups() if group)), "")
        if name:
            return Machine(_ERRNO[name], strong=True, said=name)
    return None


def grpc(text: str) -> Machine | None:
    for found in _GRPC.finditer(text[:4000]):
        name = next(group for group in found.groups() if group)
        if not name.isupper():
            name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()
        if code := GRPC.get(name.replace("CANCELED", "CANCELLED")):
            return Machine(code, strong=name not in _GRPC_WEAK, said=name)
    return None


def curl(text: str) -> Machine | None:
    found = _CURL_CODE.search(text[:4000])
    if found and (code := _CURL.get(int(next(group for group in found.groups() if group)))):
        return Machine(code, strong=True, said=found.group())
    return None


def machine(text: str) -> Machine | None:
    """The most telling machine code in `text`, a strong one first."""
    weak: Machine | None = None
    status = http_status(text)
    if letter := mail(text):
        return letter
    for found in (sqlstate(text), curl(text), grpc(text), errno(text), http(status) if status else None):
        if found and found.strong:
            return found
        weak = weak or found
    return weak
