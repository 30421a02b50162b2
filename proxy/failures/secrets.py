"""Masks credentials and other people's data in what is shown to a model. By the form of the text only: no list of
known secrets exists, because an error message is where an unknown one turns up.

A masked value becomes `***`; names of parameters stay, because they are facts.
"""

import re

_MASK = "***"
_NAMES = (
    r"(?:api[_-]?key|apikey|access[_-]?key(?:[_-]?id)?|secret(?:[_-]?(?:access[_-]?)?key)?|client[_-]?secret|passw(?:or)?d|pwd|passphrase"
    r"|(?:access|refresh|auth|id|session|bearer)?[_-]?token|signature|sig|sas|x-amz-(?:signature|credential|security-token)|authorization|cookie"
    r"|private[_-]?key|connection[_-]?string|account[_-]?key|sessionid|密码|口令|密钥|令牌)"
)

_URL_LOGIN = re.compile(r"(//[^/\s:@'\"<>]{1,80}):([^/\s@'\"<>]{1,200})@")
_QUERY = re.compile(rf"([?&;]{_NAMES}=)[^&\s'\"<>)]{{1,2000}}", re.IGNORECASE)
_FIELD = re.compile(
    rf"(?<![\w-])((?:[A-Za-z]{{1,20}}[_-]){{0,3}}{_NAMES}[\"']?\s{{0,3}}[=:：]\s{{0,3}})([\"']?)(?!(?:is|are|was|has|not|must|field|required|the|a|an|in|to|for|of|None|null|missing|invalid|expired|wrong)\b)(?!\*\*\*)([^\s\"',;&<>)}}\]]{{3,400}})",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\b((?:Bearer|Basic|Token|ApiKey)\s{1,3})([A-Za-z0-9._~+/=-]{8,4000})", re.IGNORECASE)
_SHAPES = re.compile(
    r"\b(?:sk|pk|rk|ak)[-_](?:live|test|prod|proj|ant|or)?[-_]?[A-Za-z0-9_-]{4,200}(?<=[A-Za-z0-9])"
    r"|\bgh[pousr]_[A-Za-z0-9]{16,255}|\bgithub_pat_\w{20,255}|\bglpat-[\w-]{16,64}"
    r"|\bAKIA[0-9A-Z]{12,20}\b|\bASIA[0-9A-Z]{12,20}\b|\bxox[abposr]-[A-Za-z0-9-]{8,255}|\bAIza[\w-]{30,40}"
    r"|\bnpm_[A-Za-z0-9]{30,40}|\bhf_[A-Za-z0-9]{20,60}|\bSG\.[\w-]{16,32}\.[\w-]{16,64}|\bdop_v1_\w{20,80}"
    r"|\beyJ[\w-]{8,2000}\.[\w-]{4,4000}(?:\.[\w-]{2,2000})?"
)
_PEM = re.compile(r"-----BEGIN [A-Z ]{3,40}-----[^-]{0,8000}(?:-----END [A-Z ]{3,40}-----)?")
_ROW = re.compile(r"(Failing row contains )\([^\n]{0,4000}")
_PASSWORD_CLAUSE = re.compile(r"\b(PASSWORD|IDENTIFIED BY)(\s{1,3})'[^'\n]{1,200}'", re.IGNORECASE)
_EMAIL = re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}")
_OPERATORS = re.compile(
    r"^(?:admin|administrator|support|help|helpdesk|webmaster|root|postmaster|hostmaster|ops|oncall|on-call|noc|devops|sre|dba"
    r"|alerts?|noreply|no-reply|info|contact|security|abuse|billing|it|team|service|services|deploy|www-data)(?:[.+_-]|@)",
    re.IGNORECASE,
)


def masked(text: str, own: frozenset[str] = frozenset()) -> str:
    """`text` without credentials, whole database rows and e-mail addresses of operators.

    `own` are strings out of the call's arguments: what the model itself sent stays, except passwords.
    """
    text = _PEM.sub(_MASK, text)
    text = _URL_LOGIN.sub(rf"\1:{_MASK}@", text)
    text = _QUERY.sub(rf"\1{_MASK}", text)
    text = _BEARER.sub(_bearer, text)
    text = _FIELD.sub(lambda found: _field(found, own), text)
    text = _PASSWORD_CLAUSE.sub(rf"\1\2'{_MASK}'", text)
    text = _SHAPES.sub(lambda found: _shape(found.group(), own), text)
    text = _ROW.sub(rf"\1({_MASK})", text)
    return _EMAIL.sub(lambda found: _email(found.group(), own), text)


def _bearer(found: re.Match[str]) -> str:
    """Words ("Token validation failed") are no token: one has a digit, or both cases."""
    value = found.group(2)
    if not any(char.isdigit() for char in value) and (value.islower() or value.istitle() or len(value) < 20):
        return found.group()
    return f"{found.group(1)}{_MASK}"


def _field(found: re.Match[str], own: frozenset[str]) -> str:
    name, quote, value = found.groups()
    plain = value.isalpha() and (value.islower() or value.istitle())
    if value in own or (plain and not quote and "=" not in name):
        return found.group()
    return f"{name}{quote}{_MASK}"


def _shape(value: str, own: frozenset[str]) -> str:
    if "*" in value or value in own:
        return value
    bare = re.sub(r"^(?:sk|pk|rk|ak)[-_]", "", value)
    if bare != value and not any(char.isdigit() for char in bare):
        return value
    return _MASK


def _email(value: str, own: frozenset[str]) -> str:
    if any(value in text for text in own) or not _OPERATORS.match(value):
        return value
    return _MASK
