"""Takes out of a message what the call itself sent. An echo of the arguments says nothing about success or failure, nor
about its kind: the subject of a mail that was sent may be "Fatal error".
"""

from proxy.failures.call import Call


def masked(text: str, call: Call) -> str:
    """`text` without what the call itself sent: an echo of the arguments says nothing about success."""
    for _, value in call.values:
        if 3 < len(value) < 400 and (" " in value or not value.isalpha() or not value.islower()) and value in text:
            text = text.replace(value, "…")
    return text
