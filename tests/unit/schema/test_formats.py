"""String formats: the odd corners of the server's parsers, each with its reason. All are held to the server in tests/conformance."""

from __future__ import annotations

from typing import Any

import pytest

from crossgate.schema.formats import TEXT, enforced, holds
from crossgate.schema.textformats import FORMATS, go_nanoseconds, nanoseconds


def test_every_enforced_format_has_a_function() -> None:
    assert set(FORMATS) == TEXT


@pytest.mark.parametrize(
    ("schema", "form"),
    [
        ({"type": "string", "format": "date-time"}, "datetime"),
        ({"type": "string", "format": "semver"}, ""),
        ({"type": "integer", "format": "int32"}, "int32"),
        ({"type": "integer", "format": "date"}, ""),
        ({"type": "number", "format": "double"}, "double"),
        ({"type": "boolean", "format": "date"}, ""),
        ({"x-kubernetes-int-or-string": True, "format": "ipv4"}, "ipv4"),
        ({"type": "string"}, ""),
    ],
)
def test_which_formats_count(schema: dict[str, Any], form: str) -> None:
    assert enforced(schema) == form


@pytest.mark.parametrize(
    ("form", "text", "good"),
    [
        ("datetime", "2024-01-01t00:00:00z", True),  # compared in small letters
        ("datetime", "2024-01-01T23:59:60Z", False),  # no leap second
        ("datetime", "2024-02-30T00:00:00Z", False),
        ("date", "0000-01-01", True),  # Go's year 0
        ("duration", "1 day", True),  # Scala's
        ("duration", "d5", False),
        ("duration", "-1.5h", True),
        ("duration", "9" * 5000 + "h", False),  # more digits than Python reads
        ("duration", "9" * 5000 + " day", False),
        ("duration", "1." + "9" * 5000 + "h", True),
        ("ipv4", "010.001.1.1", True),  # leading zeros, for old objects
        ("ipv4", "::ffff:1.2.3.4", True),  # it has a dot
        ("ipv6", "fe80::1%eth0", False),  # no zones
        ("cidr", "1.2.3.4/08", True),
        ("cidr", "1.2.3.4/33", False),
        ("uri", "/a", True),  # an absolute path
        ("uri", "nope", False),
        ("uri", "mailto:x@y", True),
        ("uri", "http://a:b:c", False),  # http takes one colon
        ("uri", "pg://a:1,b:2/x", True),  # other schemes several
        ("uri", "http://a/%zz", False),
        ("email", "A B <a@b>", True),
        ("email", "a@b,c@d", False),
        ("hostname", "é.fr", True),
        ("hostname", "a_b", False),
        ("mac", "01:23-45:67:89:ab", False),
        ("mac", "0123.4567.89ab", True),
        ("byte", "", False),  # the pattern wants four characters
        ("byte", "YQ==", True),
        ("ssn", "123-45-6789", True),
        ("ssn", "123456789", False),  # eleven characters, whatever the pattern says
        ("creditcard", "4111 1111 1111 1111", True),
        ("creditcard", "4111 1111 1111 1112", False),
        ("isbn", "978-0321751041", True),
        ("isbn", "0321751044", False),
        ("rgbcolor", "rgb(1, 2,256)", False),
        ("k8slongname", "a..b", False),
        ("password", "anything", True),
    ],
)
def test_formats(form: str, text: str, good: bool) -> None:
    assert holds(form, text) is good


def test_durations_in_nanoseconds() -> None:
    assert go_nanoseconds("1h2m3.5s") == 3723_500_000_000
    assert go_nanoseconds("-1ns") == -1
    assert go_nanoseconds("9999999h") is None
    assert nanoseconds("2 weeks") == 14 * 86400 * 10**9
    assert nanoseconds("soon") is None
