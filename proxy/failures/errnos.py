"""What errno and Windows error numbers mean, by name or number."""

import re

from proxy.failures.machine import Machine

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
    1: "EPERM", 2: "ENOENT", 11: "EBUSY", 12: "ENOMEM", 13: "EACCES", 16: "EBUSY", 17: "EEXIST", 18: "EXDEV",
    20: "ENOTDIR", 21: "EISDIR", 22: "EINVAL", 23: "ENFILE", 24: "EMFILE", 26: "ETXTBSY", 28: "ENOSPC",
    30: "EROFS", 32: "EPIPE", 33: "EDOM", 34: "ERANGE", 36: "ENAMETOOLONG", 38: "ENOSYS", 39: "ENOTEMPTY",
    98: "EADDRINUSE", 100: "ENETDOWN", 101: "ENETUNREACH", 103: "ECONNABORTED", 104: "ECONNRESET",
    107: "ENOTCONN", 110: "ETIMEDOUT", 111: "ECONNREFUSED", 113: "EHOSTUNREACH", 122: "EDQUOT",
    10048: "EADDRINUSE", 10051: "ENETUNREACH", 10053: "ECONNABORTED", 10054: "ECONNRESET", 10060: "ETIMEDOUT",
    10061: "ECONNREFUSED", 10065: "EHOSTUNREACH", 11001: "ENOTFOUND", 48: "EADDRINUSE", 54: "ECONNRESET",
    60: "ETIMEDOUT", 61: "ECONNREFUSED",
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
