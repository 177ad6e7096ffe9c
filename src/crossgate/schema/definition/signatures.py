"""The functions of CEL as the API server 1.36 offers them to the rules of a CRD, with their types."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_TEXT = """
size(string) int; size(bytes) int; size(list(A)) int; size(map(A,B)) int
string.size() int; bytes.size() int; list(A).size() int; map(A,B).size() int
string.contains(string) bool; string.startsWith(string) bool; string.endsWith(string) bool; string.matches(string) bool
matches(string,string) bool
int(int) int; int(uint) int; int(double) int; int(string) int; int(timestamp) int; int(duration) int
uint(uint) uint; uint(int) uint; uint(double) uint; uint(string) uint
double(double) double; double(int) double; double(uint) double; double(string) double
string(string) string; string(int) string; string(uint) string; string(double) string; string(bool) string; string(bytes) string
string(timestamp) string; string(duration) string; string(ip) string; string(cidr) string
bytes(bytes) bytes; bytes(string) bytes; bool(bool) bool; bool(string) bool
timestamp(timestamp) timestamp; timestamp(string) timestamp; timestamp(int) timestamp
duration(duration) duration; duration(string) duration; duration(int) duration
dyn(A) dyn; type(A) type
string.charAt(int) string; string.lowerAscii() string; string.upperAscii() string; string.trim() string
string.indexOf(string) int; string.indexOf(string,int) int; string.lastIndexOf(string) int; string.lastIndexOf(string,int) int
string.replace(string,string) string; string.replace(string,string,int) string
string.split(string) list(string); string.split(string,int) list(string)
string.substring(int) string; string.substring(int,int) string; string.format(list(dyn)) string
list(string).join() string; list(string).join(string) string; strings.quote(string) string
string.find(string) string; string.findAll(string) list(string); string.findAll(string,int) list(string)
list(A).isSorted() bool; list(A).sum() A; list(A).min() A; list(A).max() A; list(A).indexOf(A) int; list(A).lastIndexOf(A) int
list(A).slice(int,int) list(A); list(A).flatten() list(dyn); list(A).flatten(int) list(dyn); list(A).sort() list(A)
list(A).distinct() list(A); list(A).reverse() list(A); list(A).first() optional(A); list(A).last() optional(A); lists.range(int) list(int)
url(string) url; isURL(string) bool; url.getScheme() string; url.getHost() string; url.getHostname() string; url.getPort() string
url.getEscapedPath() string; url.getQuery() map(string,list(string))
quantity(string) quantity; isQuantity(string) bool; quantity.sign() int; quantity.isInteger() bool; quantity.asInteger() int
quantity.asApproximateFloat() double; quantity.add(quantity) quantity; quantity.add(int) quantity; quantity.sub(quantity) quantity
quantity.sub(int) quantity; quantity.isLessThan(quantity) bool; quantity.isGreaterThan(quantity) bool; quantity.compareTo(quantity) int
ip(string) ip; isIP(string) bool; ip.isCanonical(string) bool; ip.family() int; ip.isUnspecified() bool; ip.isLoopback() bool
ip.isLinkLocalMulticast() bool; ip.isLinkLocalUnicast() bool; ip.isGlobalUnicast() bool
cidr(string) cidr; isCIDR(string) bool; cidr.containsIP(ip) bool; cidr.containsIP(string) bool; cidr.containsCIDR(cidr) bool
cidr.containsCIDR(string) bool; cidr.ip() ip; cidr.masked() cidr; cidr.prefixLength() int
semver(string) semver; semver(string,bool) semver; isSemver(string) bool; isSemver(string,bool) bool; semver.major() int
semver.minor() int; semver.patch() int; semver.isLessThan(semver) bool; semver.isGreaterThan(semver) bool; semver.compareTo(semver) int
format.named(string) optional(format); format.validate(string) optional(list(string))
format.dns1123Label() format; format.dns1123Subdomain() format; format.dns1035Label() format; format.qualifiedName() format
format.dns1123LabelPrefix() format; format.dns1123SubdomainPrefix() format; format.dns1035LabelPrefix() format; format.labelValue() format
format.uri() format; format.uuid() format; format.byte() format; format.date() format; format.datetime() format
sets.contains(list(A),list(A)) bool; sets.equivalent(list(A),list(A)) bool; sets.intersects(list(A),list(A)) bool
optional.of(A) optional(A); optional.none() optional(dyn); optional.ofNonZeroValue(A) optional(A); optional(A).hasValue() bool
optional(A).value() A; optional(A).or(optional(A)) optional(A); optional(A).orValue(A) A
timestamp.getFullYear() int; timestamp.getMonth() int; timestamp.getDayOfYear() int; timestamp.getDayOfMonth() int
timestamp.getDate() int; timestamp.getDayOfWeek() int; timestamp.getHours() int; timestamp.getMinutes() int; timestamp.getSeconds() int
timestamp.getMilliseconds() int; timestamp.getFullYear(string) int; timestamp.getMonth(string) int; timestamp.getDayOfYear(string) int
timestamp.getDayOfMonth(string) int; timestamp.getDate(string) int; timestamp.getDayOfWeek(string) int; timestamp.getHours(string) int
timestamp.getMinutes(string) int; timestamp.getSeconds(string) int; timestamp.getMilliseconds(string) int
duration.getHours() int; duration.getMinutes() int; duration.getSeconds() int; duration.getMilliseconds() int
!_(bool) bool; -_(int) int; -_(double) double; _&&_(bool,bool) bool; _||_(bool,bool) bool; _?_:_(bool,A,A) A
_==_(A,A) bool; _!=_(A,A) bool; _in_(A,list(A)) bool; _in_(A,map(A,B)) bool; _[_](list(A),int) A; _[_](map(A,B),A) B
_[?_](list(A),int) optional(A); _[?_](map(A,B),A) optional(B)
_+_(int,int) int; _+_(uint,uint) uint; _+_(double,double) double; _+_(string,string) string; _+_(bytes,bytes) bytes
_+_(list(A),list(A)) list(A); _+_(timestamp,duration) timestamp; _+_(duration,timestamp) timestamp; _+_(duration,duration) duration
_-_(int,int) int; _-_(uint,uint) uint; _-_(double,double) double; _-_(timestamp,timestamp) duration; _-_(timestamp,duration) timestamp
_-_(duration,duration) duration; _*_(int,int) int; _*_(uint,uint) uint; _*_(double,double) double
_/_(int,int) int; _/_(uint,uint) uint; _/_(double,double) double; _%_(int,int) int; _%_(uint,uint) uint
"""
_ORDERED = ("bool", "string", "bytes", "timestamp", "duration")
_NUMBERS = ("int", "uint", "double")
_COMPARED = (*_ORDERED, *_NUMBERS)
_SPACED = (
    *("strings.quote", "lists.range", "ip.isCanonical", "format.named", "sets.contains", "sets.equivalent", "sets.intersects"),
    *("optional.of", "optional.none", "optional.ofNonZeroValue"),
)
NAMESPACES = ("strings", "lists", "ip", "format", "sets", "optional")
"""Names that begin the names of functions: what stands before the dot is no value then."""
_PART = re.compile(r"[\w]+|[(),]")


@dataclass(frozen=True, slots=True)
class Shape:
    """A type in a signature; ``A`` and ``B`` are any, the same wherever they stand."""

    name: str
    parts: tuple[Shape, ...] = ()


@dataclass(frozen=True, slots=True)
class Signature:
    """One overload of a function."""

    target: Shape | None
    arguments: tuple[Shape, ...]
    result: Shape


@lru_cache(maxsize=1)
def functions() -> dict[str, list[Signature]]:
    """Return the overloads of every function; those of a namespace have its name, as ``ip.isCanonical``."""
    found: dict[str, list[Signature]] = {}
    for text in filter(None, (part.strip() for part in _TEXT.replace("\n", ";").split(";"))):
        head, _, result = text.rpartition(" ")
        if head.startswith(("_", "!", "-")):
            name, _, rest = head.partition("(")
            target: Shape | None = None
        else:
            before, name, rest = _split(head)
            spaced = f"{before}.{name}" in _SPACED or (before == "format" and name != "validate")
            target = _shape(before) if before and not spaced else None
            name = f"{before}.{name}" if spaced else name
        found.setdefault(name, []).append(Signature(target, _shapes(rest[:-1]), _shape(result)))
    for name, kinds in (
        ("isSorted", _COMPARED),
        ("min", _COMPARED),
        ("max", _COMPARED),
        ("sort", _COMPARED),
        ("sum", (*_NUMBERS, "duration")),
    ):
        found[name] = [_for_items(signature, kind) for signature in found[name] for kind in kinds]
    for operator in ("_<_", "_<=_", "_>_", "_>=_"):
        pairs = [(kind, kind) for kind in _ORDERED] + [(left, right) for left in _NUMBERS for right in _NUMBERS]
        found[operator] = [Signature(None, (Shape(left), Shape(right)), Shape("bool")) for left, right in pairs]
    return found


def _for_items(signature: Signature, kind: str) -> Signature:
    """Return the overload of a function on lists for lists of one type."""

    def put(shape: Shape) -> Shape:
        return Shape(kind) if shape.name == "A" else Shape(shape.name, tuple(map(put, shape.parts)))

    return Signature(put(signature.target) if signature.target else None, signature.arguments, put(signature.result))


def _split(head: str) -> tuple[str, str, str]:
    """Split ``list(A).indexOf(A)`` into its three parts."""
    depth, dot, opened = 0, -1, -1
    for place, letter in enumerate(head[:-1]):
        if letter == "(" and depth == 0:
            opened = place
        if letter == "." and depth == 0:
            dot = place
        depth += (letter == "(") - (letter == ")")
    return head[: max(dot, 0)], head[dot + 1 : opened], head[opened + 1 :]


def _shapes(text: str) -> tuple[Shape, ...]:
    tokens = _PART.findall(text)
    found = []
    while tokens:
        found.append(_read(tokens))
        if tokens:
            tokens.pop(0)
    return tuple(found)


def _shape(text: str) -> Shape:
    return _read(_PART.findall(text))


def _read(tokens: list[str]) -> Shape:
    name = tokens.pop(0)
    parts: list[Shape] = []
    if tokens and tokens[0] == "(":
        while tokens.pop(0) != ")":
            parts.append(_read(tokens))
    return Shape(name, tuple(parts))
