"""What the numbers of databases mean: SQLSTATE, and the error numbers of MySQL, SQL Server and Oracle."""

import re

from proxy.failures.machine import Machine

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
    r"(?:SQLSTATE|sqlstate|SqlState|pgcode)[\"']?[ :=(\[]{1,4}['\"]?([0-9A-Z]{5})\b"
    r"|\(([0-9A-Z]{5})\):|^\W{1,3}([0-9A-Z]{2}[0-9A-Z]{3})['\"], |\bcode: '([0-9][0-9A-Z]{4})'"
    r"|\[([0-9A-Z]{5})\] "
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
    1: "DUPLICATE_VALUE", 54: "LOCK_NOT_ACQUIRED", 60: "DEADLOCK", 900: "SQL_SYNTAX_ERROR",
    904: "UNKNOWN_COLUMN", 907: "SQL_SYNTAX_ERROR", 911: "SQL_SYNTAX_ERROR", 918: "AMBIGUOUS_COLUMN",
    923: "SQL_SYNTAX_ERROR", 933: "SQL_SYNTAX_ERROR", 936: "SQL_SYNTAX_ERROR", 942: "UNKNOWN_TABLE",
    1013: "QUERY_TIMEOUT", 1017: "AUTHENTICATION_FAILED", 1031: "PERMISSION_DENIED",
    1033: "DATABASE_UNAVAILABLE", 1034: "DATABASE_UNAVAILABLE", 1400: "MISSING_VALUE", 1403: "NOT_FOUND",
    1438: "VALUE_OUT_OF_RANGE", 1476: "DIVISION_BY_ZERO", 1722: "INVALID_NUMBER", 1843: "INVALID_DATE",
    1858: "INVALID_DATE", 1861: "INVALID_DATE", 2290: "CHECK_VIOLATION", 2291: "MISSING_REFERENCE",
    2292: "STILL_REFERENCED", 3113: "CONNECTION_LOST", 3114: "CONNECTION_LOST", 12154: "CONFIGURATION_ERROR",
    12170: "TIMEOUT", 12505: "DATABASE_NOT_FOUND", 12514: "DATABASE_UNAVAILABLE", 12541: "CONNECTION_REFUSED",
    12899: "VALUE_OUT_OF_RANGE", 28000: "AUTHENTICATION_FAILED", 28001: "AUTHENTICATION_FAILED",
}  # fmt: skip
_ORA = re.compile(r"\bORA-(\d{5})\b")
_NUMBER = re.compile(
    r"^\W{0,3}\((\d{3,5}), b?['\"]|\bERROR (\d{4})(?: \(|:)|\bMsg (\d{3,5}), Level"
    r"|^\W{0,3}(\d{4,5}) \([0-9A-Z]{5}\):"
)


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
