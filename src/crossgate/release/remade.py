"""Objects that no author touched and that become something else: through a Composition, a schema or an environment that changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from crossgate.model import Document
from crossgate.plan.causes import Causes, platform_changes
from crossgate.plan.match import resources
from crossgate.render.descent import Descent
from crossgate.render.estate import Made, expand_by
from crossgate.render.known import Known
from crossgate.schema import Schemas
from crossgate.units.states import State

Key = tuple[str, str, str, str]
"""Group, kind, namespace and name."""
Objects = Callable[[State], Mapping[Key, Document]]


def remade(
    before: State, after: State, objects: Objects, schemas: Schemas, functions: Mapping[str, str]
) -> Iterator[tuple[Key, Document, tuple[str, ...]]]:
    """Yield each object that is the same on both sides and makes something else, with the words that name what changes it.

    As the plan sees it: only when an XRD, a Composition, a CRD or an EnvironmentConfig differs is anything rendered, and then all is.

    Args:
        before: the base.
        after: what would be merged.
        objects: returns all objects of a state.
        schemas: the schemas of the project, without those of its own XRDs.
        functions: the function behind a ``functionRef`` name that does not tell.

    Raises:
        CrossgateError: objects of the base are missing from this clone.
    """
    platform = platform_changes(before.platform, after.platform)
    if not platform:
        return
    old, new = (_renderer(state, schemas, functions) for state in (before, after))
    causes = Causes(platform, lambda document: next(new(document), None))
    will = objects(after)
    for key, document in objects(before).items():
        if key not in will or will[key].body != document.body:
            continue
        for one, other in zip(old(document), new(will[key]), strict=True):
            name = causes.of(one, other)
            differing = [(was, now) for was, now in resources(one, other) if was is None or now is None or was.body != now.body]
            if differing:
                yield key, will[key], tuple(dict.fromkeys(words for was, now in differing for words in name(was, now, (), ())))


def _renderer(state: State, schemas: Schemas, functions: Mapping[str, str]) -> Callable[[Document], Iterator[Made]]:
    descent = Descent(Known.of(state.platform, functions), schemas.including(state.platform))
    return lambda document: expand_by(descent, [document])
