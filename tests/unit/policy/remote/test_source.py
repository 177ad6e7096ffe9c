from __future__ import annotations

import pytest

from crossgate.errors import UsageError
from crossgate.policy.remote import Source


@pytest.mark.parametrize(
    ("text", "place", "ref", "folder"),
    [
        ("git+https://host/a/b@v1.2#policy/x", "https://host/a/b", "v1.2", "policy/x"),
        ("git+https://host/a/b.git@release/1.x", "https://host/a/b.git", "release/1.x", ""),
        ("git+ssh://git@host/a/b@main", "ssh://git@host/a/b", "main", ""),
        (
            "git+file:///srv/policies@0123456789abcdef0123456789abcdef01234567",
            "file:///srv/policies",
            "0123456789abcdef" * 2 + "01234567",
            "",
        ),
        ("git+https://[::1]:8443/a@main", "https://[::1]:8443/a", "main", ""),
        ("git+ssh://git@[::1]:22/a@main", "ssh://git@[::1]:22/a", "main", ""),
        ("oci://host:5000/a/b:v1", "host:5000/a/b:v1", "", ""),
        ("oci+http://localhost:5000/a:v1", "localhost:5000/a:v1", "", ""),
    ],
)
def test_names_are_read(text, place, ref, folder):
    source = Source.parse(text)
    assert (source.place, source.ref, source.folder) == (place, ref, folder)
    assert source.git == bool(ref)


@pytest.mark.parametrize(
    "text",
    [
        "git+https://host/a/b",
        "git+ext::sh -c id@main",
        "git+http://host/a@main",
        "git+https://user:secret@host/a@main",
        "git+https://host/a@--upload-pack=id",
        "git+https://host/a@a..b",
        "git+https://host/a@main#../x",
        "git+https://host/a@main#a/../../x",
        "oci://host",
        "oci://host/a b",
        "oci://host/a\n",
        "oci+ftp://host/a",
    ],
)
def test_what_is_none_or_could_do_harm_is_refused(text):
    """Transports that run programs, options in place of a commit, ways out of the repository, passwords that the lock would publish."""
    with pytest.raises(UsageError):
        Source.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "git+https://user:hunter2@host/a@main",
        "git+https://hunter2@host/a@main",
        "git+https://user:hun/ter2@host/a@main",
        "git+https://user:hun#ter2@host/a",
        "git+http://user:hunter2@host/a@main",
        "https://user:hunter2@host/a",
        "git+ssh://git:hunter2@host/a@main",
        "git+ssh://git:hun/ter2@host/a@main",
        "oci://user:hunter2@host/a:v1",
        "oci+http://hunter2@localhost:5000/a:v1",
    ],
)
def test_credentials_are_refused_and_not_said_again(text):
    """The error goes to a log that everybody can read; a token often stands where the user's name does."""
    with pytest.raises(UsageError, match="holds credentials") as refused:
        Source.parse(text)
    assert "ter2" not in str(refused.value)
