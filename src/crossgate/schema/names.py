"""Names, label keys and label values, as apimachinery's ``pkg/api/validate/content`` (1.36) has them.

Every function returns what is expected, or the empty string when the text is good.
"""

from __future__ import annotations

import re
from typing import Any

_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_DNS_LABEL = re.compile(_LABEL)
_DNS_1035 = re.compile(r"[a-z](?:[-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_CONFIG_KEY = re.compile("[-._a-zA-Z0-9]+")
_KEY = re.compile(r"(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")

MAX_SUBDOMAIN = 253
MAX_LABEL = 63


def dns_label(text: str) -> str:
    """Check a DNS label (RFC 1123), as namespaces have it."""
    return _name(text, _DNS_LABEL, MAX_LABEL, "lower case letters, digits and '-', starting and ending with a letter or digit")


def dns_1035_label(text: str) -> str:
    """Check a DNS label that starts with a letter (RFC 1035), as Services have it."""
    return _name(text, _DNS_1035, MAX_LABEL, "lower case letters, digits and '-', starting with a letter and ending with a letter or digit")


def dns_subdomain(text: str) -> str:
    """Check a DNS subdomain (RFC 1123), as most objects have it."""
    return _name(
        text, _SUBDOMAIN, MAX_SUBDOMAIN, "lower case letters, digits, '-' and '.', every part starting and ending with a letter or digit"
    )


def path_segment(text: str) -> str:
    """Check a name that must only be safe in a URL path, as RBAC objects have it."""
    if text in (".", ".."):
        return f"a name other than {text!r}"
    return "a name without '/' and '%'" if "/" in text or "%" in text else ""


def label_key(text: str) -> str:
    """Check a label key: an optional DNS subdomain and slash, then a name."""
    prefix, slash, name = text.rpartition("/")
    if "/" in prefix:
        return "at most one '/'"
    if slash:
        wrong = "a DNS subdomain before the '/'" if not prefix else dns_subdomain(prefix)
        if wrong:
            return f"{wrong} (in the part before the '/')" if prefix else wrong
    return _name(name, _KEY, MAX_LABEL, "letters, digits, '-', '_' and '.', starting and ending with a letter or digit")


def label_value(text: str) -> str:
    """Check a label value; the empty one is good."""
    return text and _name(text, _KEY, MAX_LABEL, "letters, digits, '-', '_' and '.', starting and ending with a letter or digit")


def is_config_key(text: str) -> bool:
    """Say whether this is a key of a ConfigMap or Secret, apart from its length."""
    return _CONFIG_KEY.fullmatch(text) is not None


def selects(selector: dict[str, Any], labels: dict[str, Any]) -> bool:
    """Say whether a label selector matches labels (apimachinery's ``labels.Requirement.Matches``)."""
    if any(labels.get(key) != value for key, value in (selector.get("matchLabels") or {}).items()):
        return False
    for expression in selector.get("matchExpressions") or ():
        key, values = expression.get("key"), expression.get("values") or ()
        held = {
            "In": key in labels and labels[key] in values,
            "NotIn": key not in labels or labels[key] not in values,
            "Exists": key in labels,
            "DoesNotExist": key not in labels,
        }
        if not held.get(str(expression.get("operator")), True):
            return False
    return True


def as_prefix(name: str) -> str:
    """Return a generateName in the form in which the server checks it: a dash at the end stands for what follows."""
    return f"{name[:-2]}a" if len(name) > 1 and name.endswith("-") else name


def _name(text: str, pattern: re.Pattern[str], longest: int, letters: str) -> str:
    if len(text.encode()) > longest:
        return f"at most {longest} characters (found {len(text.encode())})"
    return "" if pattern.fullmatch(text) else letters
