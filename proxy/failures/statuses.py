"""What the statuses of protocols mean: HTTP, gRPC, SMTP, and the exit codes of curl. Tables of public standards; a
strong status decides, a weak one (400, 422, 500 …) only says who is at fault.
"""

import re

from proxy.failures.machine import Machine
from proxy.failures.wordsets import wordset

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
    "Bad Request|Unauthorized|Payment Required|Forbidden|Not Found|Method Not Allowed|Not"
    " Acceptable|Proxy Authentication Required"
    "|Request Time-?out|Conflict|Gone|Precondition Failed|Payload Too Large|Content Too Large"
    "|Request Entity Too Large|Unsupported Media Type"
    "|Unprocessable (?:Entity|Content)|Locked|Too Many Requests|Internal Server Error|Not"
    " Implemented|Bad Gateway"
    "|Service (?:Temporarily )?Unavailable|Gateway Time-?out|Insufficient Storage"
)
_HTTP = re.compile(
    rf"\b([45]\d\d)\b[ :,\-–(]{{0,4}}(?:Client Error|Server Error|{_PHRASES})"
    r"|(?:\bHTTP(?:S|/\d(?:\.\d)?)?|\bstatus(?:[ _-]?code)?|\bresponse[ _-]?(?:code|status)|\bcode"
    r"|\berror|\breturned|\bgot|\bcode is|\bwith|\bresponse|\breceived)"
    r"(?: (?:an? )?(?:HTTP|status(?: code)?|error(?: code)?|code|response))*['\"]?["
    r" :=(#\[]{1,4}(?:HTTP )?([45]\d\d)\b(?![.,]?\d)"
    r"|^\W{0,2}([45]\d\d)\W{0,2}(?:\s|$|:)"
    r"|\btoo many ([45]\d\d) error responses|\b([45]\d\d) (?:error|response|status)\b|(?:状态码"
    r"|返回|响应码)[ :：为]{0,3}([45]\d\d)|\[([45]\d\d)\]|\(([45]\d\d)\)",
    re.IGNORECASE,
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
_GRPC_WEAK = wordset(
    "INVALID_ARGUMENT FAILED_PRECONDITION INTERNAL ABORTED UNIMPLEMENTED UNAVAILABLE RESOURCE_EXHAUSTED"
)
_GRPC = re.compile(
    r"(?:StatusCode\.|code ?= ?|status ?[=:] ?(?:StatusCode\.)?|grpc(?:[_-]?status)?[ :=]+\"?|rpc"
    r" error: code = )\"?([A-Z][A-Za-z_]{5,20})\b|^(?:\d{1,2} )([A-Z]{5,10}(?:_[A-Z]{4,12})?): "
    r"|\"status\": ?\"([A-Z_]{6,20})\""
)

_CURL = {
    3: "INVALID_URL", 5: "DNS_FAILURE", 6: "DNS_FAILURE", 7: "CONNECTION_REFUSED", 18: "INCOMPLETE_RESPONSE",
    22: "", 23: "DISK_FULL", 26: "FILE_NOT_FOUND", 28: "TIMEOUT", 35: "TLS_ERROR", 37: "FILE_NOT_FOUND",
    47: "TOO_MANY_REDIRECTS", 51: "TLS_CERTIFICATE_ERROR", 52: "EMPTY_REPLY", 55: "CONNECTION_RESET",
    56: "CONNECTION_RESET", 58: "TLS_CERTIFICATE_ERROR", 60: "TLS_CERTIFICATE_ERROR",
    67: "AUTHENTICATION_FAILED", 77: "TLS_CERTIFICATE_ERROR", 78: "FILE_NOT_FOUND", 1: "INVALID_URL",
    2: "USAGE_ERROR", 92: "CONNECTION_RESET",
}  # fmt: skip
_CURL_CODE = re.compile(
    r"\bcurl: \((\d{1,2})\)|\bcurl error (\d{1,2})\b|\bpycurl\.error: \((\d{1,2}),|\(([1-9]\d?),"
    r" '(?:Could not|Failed|Connection|SSL|Operation|Recv|The requested)",
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
