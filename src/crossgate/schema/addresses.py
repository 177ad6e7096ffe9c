"""Addresses as Go's standard library reads them: IP, CIDR, MAC, URI and e-mail.

The API server checks the formats ``ipv4``, ``ipv6``, ``cidr``, ``mac``, ``uri`` and ``email`` with Go's
parsers, so their grammars are followed here: ``net.ParseMAC``, ``net/url.ParseRequestURI``,
``net/mail.ParseAddress`` and, for IP addresses, Kubernetes' sloppy parser, which accepts leading zeros.
"""

from __future__ import annotations

import ipaddress
import re

_IPV4 = re.compile(r"[0-9]{1,8}(?:\.[0-9]{1,8}){3}", re.ASCII)
_PORT = re.compile(r"(?::[0-9]*)?", re.ASCII)
_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_USERINFO = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
_HOST = re.compile(r"""(?:[A-Za-z0-9\-._~!$&'()*+,;=:\[\]<>"\x80-\U0010ffff]|%25|%[89A-Fa-f][0-9A-Fa-f])*""")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_HEX = "[0-9A-Fa-f]"
_MAC = re.compile(
    rf"(?:{_HEX}{{2}}(?P<s>[:\-]){_HEX}{{2}}(?:(?P=s){_HEX}{{2}}){{4}}(?:(?:(?P=s){_HEX}{{2}}){{2}}|(?:(?P=s){_HEX}{{2}}){{14}})?"
    rf"|{_HEX}{{4}}(?:\.{_HEX}{{4}}){{2}}(?:\.{_HEX}{{4}}|(?:\.{_HEX}{{4}}){{7}})?|{_HEX}{{12}}(?:{_HEX}{{4}}|{_HEX}{{28}})?)"
)


def is_ipv4(text: str) -> bool:
    """Say whether this is a dotted IPv4 (or an IPv6 that ends in one); leading zeros are accepted."""
    return "." in text and _is_ip(text)


def is_ipv6(text: str) -> bool:
    """Say whether this is an IPv6 address as ``net.ParseIP`` reads it (no zone)."""
    return ":" in text and _is_ip(text, sloppy=False)


def is_cidr(text: str) -> bool:
    """Say whether this is an address, a slash and a prefix length that the address can have."""
    address, slash, length = text.partition("/")
    if not slash or not length.isascii() or not length.isdigit() or not _is_ip(address):
        return False
    return int(length) <= (128 if ":" in address else 32)


def is_ip(text: str) -> bool:
    """Say whether ``net.ParseIP`` reads this."""
    return _is_ip(text, sloppy=False)


def _is_ip(text: str, *, sloppy: bool = True) -> bool:
    if ":" not in text:
        return _is_dotted(text, sloppy=sloppy)
    if "%" in text:
        return False
    head, colon, tail = text.rpartition(":")
    if "." in tail:
        if not _is_dotted(tail, sloppy=sloppy):
            return False
        text = f"{head}{colon}0:0"
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def _is_dotted(text: str, *, sloppy: bool) -> bool:
    if not _IPV4.fullmatch(text):
        return False
    return all(int(octet) <= 255 and (sloppy or len(octet) == 1 or octet[0] != "0") for octet in text.split("."))


def is_mac(text: str) -> bool:
    """Say whether ``net.ParseMAC`` reads this: 6, 8 or 20 octets with one separator throughout, or none."""
    return _MAC.fullmatch(text) is not None


def is_uri(text: str) -> bool:
    """Say whether ``net/url.ParseRequestURI`` reads this: an absolute URI or an absolute path."""
    if not text or any(character < " " or character == "\x7f" for character in text):
        return False
    if text == "*":
        return True
    if text.startswith(":"):
        return False
    scheme = _SCHEME.match(text)
    rest = text[scheme.end() :] if scheme else text
    rest = rest.partition("?")[0]
    if not rest.startswith("/"):
        return scheme is not None
    if scheme and rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        if not _is_authority(scheme.group()[:-1].lower(), authority):
            return False
        rest = slash + path
    return not _PERCENT.search(rest)


def _is_authority(scheme: str, authority: str) -> bool:
    user, at, host = authority.rpartition("@")
    if at and (not _USERINFO.fullmatch(user) or _PERCENT.search(user)):
        return False
    if "[" in host:
        literal, bracket, port = host[1:].rpartition("]")
        return host.startswith("[") and "[" not in literal and bool(bracket) and _PORT.fullmatch(port) is not None and _is_literal(literal)
    if ":" in host:
        # Only http and https insist on one colon (Go 1.26).
        port = host[host.index(":") :] if scheme in ("http", "https") else host[host.rindex(":") :]
        if not _PORT.fullmatch(port):
            return False
    return _HOST.fullmatch(host) is not None


def _is_literal(literal: str) -> bool:
    address, percent, zone = literal.partition("%25")
    if percent and (not zone or _PERCENT.search(zone)):
        return False
    return ":" in address and _is_ip(address, sloppy=False)


def is_email(text: str) -> bool:
    """Say whether ``net/mail.ParseAddress`` reads this as one address, with or without a display name."""
    return _Mailbox(text).is_single()


_ATOM_CHARACTER = r"""[^\x00-\x20\x7f()<>\[\]:;@\\,".]"""
_DOT_ATOM = re.compile(rf"{_ATOM_CHARACTER}+(?:\.{_ATOM_CHARACTER}+)*(?!\.)")
_LOOSE_ATOM = re.compile(rf"(?:{_ATOM_CHARACTER}|\.)+")
_QUOTED = re.compile(r'"(?:[^\x00-\x08\x0a-\x1f\x7f"\\]|\\[^\x00-\x08\x0a-\x1f\x7f])*"')
_LITERAL = re.compile(r"\[([^\x00-\x20\x7f\[\]\\]*)\]")


class _Mailbox:
    """A reader of one address; each step moves ``position`` or answers False and leaves it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def is_single(self) -> bool:
        self.spaces()
        if self.position == len(self.text):
            return False
        if not self.specification():
            if not self.at("<") and not self.phrase():
                return False
            self.spaces()
            if self.take(":"):
                return self.group()
            if not (self.take("<") and self.specification() and self.take(">")):
                return False
        return self.comments() and self.position == len(self.text)

    def group(self) -> bool:
        """``name: address;`` is read as that one address."""
        inside, semicolon, after = self.text[self.position :].rpartition(";")
        if not semicolon or not _Mailbox(inside).is_single():
            return False
        rest = _Mailbox(after)
        return rest.comments() and rest.position == len(after)

    def specification(self) -> bool:
        start = self.position
        self.spaces()
        quoted = self.at('"')
        local = self.match(_QUOTED if quoted else _DOT_ATOM)
        if local and local != '""' and self.take("@"):
            self.spaces()
            if self.at("["):
                literal = self.match(_LITERAL)
                if literal and is_ip(literal[1:-1]):
                    return True
            elif self.match(_DOT_ATOM):
                return True
        self.position = start
        return False

    def phrase(self) -> bool:
        words = 0
        while True:
            if words and not self.comments():
                return False
            self.spaces()
            if self.position == len(self.text) or not self.match(_QUOTED if self.at('"') else _LOOSE_ATOM):
                return words > 0
            words += 1

    def comments(self) -> bool:
        self.spaces()
        while self.take("("):
            depth = 1
            while depth and self.position < len(self.text):
                character = self.text[self.position]
                self.position += 2 if character == "\\" and self.position + 1 < len(self.text) else 1
                depth += (character == "(") - (character == ")")
            if depth:
                return False
            self.spaces()
        return True

    def spaces(self) -> None:
        while self.at(" ") or self.at("\t"):
            self.position += 1

    def at(self, character: str) -> bool:
        return self.text.startswith(character, self.position)

    def take(self, character: str) -> bool:
        if not self.at(character):
            return False
        self.position += 1
        return True

    def match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.position)
        if not found:
            return ""
        self.position = found.end()
        return found.group()
