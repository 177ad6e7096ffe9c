"""Objects that become something else without their authors: through a Composition, a schema or an environment that changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from crossgate.model import Document, Role
from crossgate.plan.causes import Causes, platform_changes
from crossgate.plan.match import resources
from crossgate.release.pins import pins
from crossgate.render.descent import Descent
from crossgate.render.estate import Made, expand_by
from crossgate.render.known import Known
from crossgate.schema import Schemas
from crossgate.units.states import State

Key = tuple[str, str, str, str]
"""Group, kind, namespace and name."""
Thing = tuple[str, str]
"""What is pinned: its kind and its value."""


@dataclass(frozen=True, slots=True)
class Remade:
    """What the platform makes of one object of the base that it did not make before.

    ``through`` names what of the platform changes it. ``pins`` are those that what it becomes has then, and neither its author's object
    nor what it became in the base.
    """

    through: tuple[str, ...]
    pins: tuple[Thing, ...]


@dataclass(frozen=True, slots=True)
class Through:
    """All that the platform makes otherwise, and which objects of the base became something that pins a thing."""

    objects: dict[Key, Remade] = field(default_factory=dict)
    held: dict[Thing, list[Document]] = field(default_factory=dict)


def through_the_platform(
    before: State, after: State, objects: Callable[[State], Mapping[Key, Document]], schemas: Schemas, functions: Mapping[str, str]
) -> Through:
    """Say what the platform makes otherwise of the objects of the base that are still there, as they were written there.

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
    found = Through()
    platform = platform_changes(before.platform, after.platform)
    if not platform:
        return found
    old, new = (_renderer(state, schemas, functions) for state in (before, after))
    causes = Causes(platform, lambda document: next(new(document), None))
    there = objects(after)
    for key, document in objects(before).items():
        for one in old(document):
            had = _pinned(one)
            for thing in had:
                found.held.setdefault(thing, []).append(document)
            for other in new(document) if key in there else ():
                name = causes.of(one, other)
                differing = [(was, will) for was, will in resources(one, other) if was is None or will is None or was.body != will.body]
                if differing:
                    words = dict.fromkeys(words for was, will in differing for words in name(was, will, (), ()))
                    own = {(pin.what, pin.value) for pin in pins(document.body)}
                    fresh = (thing for thing in _pinned(other) if thing not in had and thing not in own)
                    found.objects[key] = Remade(tuple(words), tuple(fresh))
    return found


def _pinned(made: Made) -> Iterable[Thing]:
    """Return what the resources pin that an object becomes, each once, in order."""
    told = (resource.body for resource in made.resources[1:] if resource.role is not Role.XR)
    return dict.fromkeys((pin.what, pin.value) for body in told for pin in pins(body)).keys()


def _renderer(state: State, schemas: Schemas, functions: Mapping[str, str]) -> Callable[[Document], Iterator[Made]]:
    descent = Descent(Known.of(state.platform, functions), schemas.including(state.platform))
    return lambda document: expand_by(descent, [document])
