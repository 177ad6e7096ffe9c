"""What a bundle may hold. Whoever can push one must not be able to write elsewhere, or to fill the memory of who checks."""

from __future__ import annotations

import gzip
import io
import tarfile

import pytest

from crossgate.errors import PolicyError
from crossgate.policy.remote.files import MOST_BYTES, Gathered, digest_of


def packed(*members: tuple[tarfile.TarInfo, bytes], zipped: bool = True) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for member, data in members:
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return gzip.compress(out.getvalue()) if zipped else out.getvalue()


def plain(name: str, data: bytes = b"x") -> tuple[tarfile.TarInfo, bytes]:
    return tarfile.TarInfo(name), data


def special(name: str, kind: bytes, target: str = "") -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.type = kind
    member.linkname = target
    return member, b""


@pytest.mark.parametrize("zipped", [True, False])
def test_policies_and_data_are_kept_and_programs_are_not(zipped):
    gathered = Gathered("b")
    gathered.add_archive(packed(plain("./a/b.rego"), plain("data.json", b"{}"), plain("policy.wasm"), plain("run.sh"), zipped=zipped))
    assert gathered.files == {"a/b.rego": b"x", "data.json": b"{}"}


@pytest.mark.parametrize(
    "name",
    [
        "../a.rego",
        "a/../../b.rego",
        "/etc/a.rego",
        "a\\b.rego",
        "c:a.rego",
        "a\nb.rego",
        f"{'a' * 256}.rego",
        ".git/config.json",
        "..",
        "../run.sh",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(name):
    with pytest.raises(PolicyError, match="is refused"):
        Gathered("b").add_archive(packed(plain(name)))
    with pytest.raises(PolicyError, match="is refused"):
        Gathered("b").add(name, b"x")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_are_refused(kind):
    with pytest.raises(PolicyError, match="is a link or device"):
        Gathered("b").add_archive(packed(special("a.rego", kind, "/etc/passwd")))


@pytest.mark.parametrize("name", ["a.rego", "a.bin"])
def test_a_small_layer_that_unpacks_to_much_is_refused(name):
    """Also when what unpacks is not kept: it has to be unpacked to see what follows."""
    half = bytes(MOST_BYTES // 2 + 1)
    layer = packed(plain(name, half), plain(f"b{name}", half))
    assert len(layer) < MOST_BYTES // 100
    with pytest.raises(PolicyError, match="MiB"):
        Gathered("b").add_archive(layer)


def test_one_name_with_two_contents_is_refused():
    """Which of them counts would be a matter of luck."""
    with pytest.raises(PolicyError, match="twice"):
        Gathered("b").add_archive(packed(plain("a.rego", b"1"), plain("./a.rego", b"2")))


def test_what_is_no_archive_is_refused():
    with pytest.raises(PolicyError, match="no archive"):
        Gathered("b").add_archive(b"\x1f\x8b broken")


def test_the_digest_tells_names_and_contents_apart():
    assert len({digest_of(files) for files in ({}, {"a": b"bc"}, {"ab": b"c"}, {"a": b"b", "b": b"c"}, {"a": b"c", "b": b"b"})}) == 5


def header(name: str, size: int, kind: bytes) -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.type = size, kind
    return member.tobuf(tarfile.USTAR_FORMAT)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_header_that_announces_more_than_a_bundle_may_hold_is_refused(kind):
    """Such a header is read at once and whole; it is no member, and no size of one."""
    size = 2 * MOST_BYTES
    with pytest.raises(PolicyError, match="MiB"):
        Gathered("b").add_archive(gzip.compress(header("a", size, kind) + bytes(size), 1))


def test_headers_of_headers_are_refused():
    """Each calls for the next: thousands overrun the stack."""
    with pytest.raises(PolicyError, match="no archive"):
        Gathered("b").add_archive(header("a", 0, tarfile.XHDTYPE) * 5000 + packed(plain("a.rego"), zipped=False))


@pytest.mark.parametrize(
    "damage",
    [
        lambda tar: tar[:1024] + b"damaged " * 64 + tar[1024:],
        lambda tar: tar[:1300],
        lambda tar: tar[:2048],
        lambda tar: tar + tar,
        lambda tar: gzip.compress(tar)[:-2],
    ],
    ids=["damaged", "cut in a header", "cut between members", "two archives", "zip cut"],
)
def test_an_archive_that_is_not_whole_is_refused(damage):
    """What is lost could be the rule that refuses: tarfile takes whatever is no header for the end."""
    whole = packed(plain("a.rego"), plain("b.rego"), zipped=False)
    with pytest.raises(PolicyError, match=r"no archive|does not end"):
        Gathered("b").add_archive(damage(whole))


@pytest.mark.parametrize("names", [("a.rego", "a.rego/b.rego"), ("a.rego/b.rego", "a.rego")])
def test_a_name_of_a_file_and_of_a_folder_is_refused(names):
    """It could not be kept, and the user's cache would be blamed for it."""
    with pytest.raises(PolicyError, match="is a file and a folder"):
        Gathered("b").add_archive(packed(*map(plain, names)))
