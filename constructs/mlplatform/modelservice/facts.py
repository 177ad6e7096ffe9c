"""What patches know of a service besides its fields: kept in the environment, where combinations and optional paths can read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlplatform.core import Composition, Model, Ref, Template, kept
from mlplatform.core import transforms as t
from mlplatform.core.patch import combine

BUCKET = "<bucket>"
"""Stands for the name of the bucket in the formats of ``with_bucket``."""


class Names(Model):
    """The claim's names."""

    namespace: str
    name: str
    short: str
    """At most 36 characters of the name."""
    plain: str | None = None
    """There (and empty) when namespace and name together are the name of nothing else and short enough for a bucket."""


@dataclass(frozen=True)
class Facts:
    """References to the names of a composition's claim."""

    namespace: Ref
    name: Ref
    short: Ref
    hash: Ref
    plain: Ref


def facts(composition: Composition) -> Facts:
    """Bring the claim's names into the environment.

    ``model-artifacts-<namespace>-<name>`` is what a bucket is called where that says which claim it belongs to: namespaces of one word,
    or of one word after ``ml-team-`` or ``team-``. With other namespaces (``a`` + ``b-c`` and ``a-b`` + ``c``) and with long names, eight
    letters of a hash stand for the namespace and tell claims apart.
    """
    service = kept("service", Names)
    labels = composition.api.metadata.labels
    namespace, name = labels["crossplane.io/claim-namespace"], labels["crossplane.io/claim-name"]
    composition.into_environment(namespace, service.namespace)
    composition.into_environment(name, service.name)
    composition.into_environment(name, service.short, t.regexp("^.{0,35}[a-z0-9]"))
    plain: list[tuple[str, Any]] = [
        ("^.{48,}$", {}),  # a bucket's name has at most 63 characters
        ("^(ml/team-|team/|[0-9a-f]{8}/)", {}),  # reads like a namespace of the next line, or like a hash
        ("^((ml-)?team-)?[a-z0-9]+/[a-z0-9-]+$", {"plain": ""}),
    ]
    composition.environment_patches.append(combine("%s/%s", [namespace, name], "bucket", [t.match(plain, otherwise={})]))
    return Facts(service.namespace, service.name, service.short, composition.identity.hash, kept("bucket", Names).plain)


def with_bucket(template: Template, known: Facts, format_: str, sources: list[Ref], to: str) -> Template:
    """Write the bucket's name, and ``sources`` for each ``%s``, into a format, for example ``arn:aws:s3:::<bucket>/*``.

    The first patch is the name with the hash; the second replaces it where the plain name will do, for only then its last part exists.
    """
    for name, parts in (
        ("model-artifacts-%s-%s", [known.hash, known.short]),
        ("model-artifacts-%s-%s%s", [known.namespace, known.name, known.plain]),
    ):
        rest = iter(sources)
        values: list[Ref] = []
        for piece in format_.replace(BUCKET, "\0").replace("%s", "\1"):
            values += parts if piece == "\0" else [next(rest)] if piece == "\1" else []
        template.combine(format_.replace(BUCKET, name), values, to)
    return template
