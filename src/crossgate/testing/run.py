"""Run one case: render its input, compare, evaluate its assertions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from crossgate.config import Config
from crossgate.errors import CrossgateError, LoadError, RenderError, TooLargeError, UnknownFunctionError
from crossgate.load.platform import platform_inventory
from crossgate.model import CouldNotCheck, Document
from crossgate.paths import follow
from crossgate.render.known import Known
from crossgate.render.single import Single, descended, only_for, render_single
from crossgate.schema import Schemas
from crossgate.testing.case import EXPECTED, Assertion, Case, Settings
from crossgate.testing.compare import TEMPLATE_ANNOTATION, compare


@dataclass(frozen=True, slots=True)
class Project:
    """What cases draw on besides their own files: the XRDs and Compositions of the project's ``dist/``."""

    documents: tuple[Document, ...] = ()
    known: Known = field(default_factory=Known)
    schemas: Schemas = field(default_factory=lambda: Schemas.load(()))

    @classmethod
    def of(cls, config: Config | None = None) -> Project:
        """Read the project around the working folder, or that of ``config``."""
        config = config or Config.find()
        platform = platform_inventory(config.dist, root=config.root)
        for unread in platform.judgement.could_not_check:
            raise LoadError(unread.what, unread.where, unread.hint)
        return cls(known=Known(functions=config.functions)).including(platform.documents)

    def including(self, documents: tuple[Document, ...]) -> Project:
        """Return the same with more documents, which are preferred to those that are there."""
        if not documents:
            return self
        every = (*documents, *self.documents)
        known = Known.of(every, self.known.functions)
        return Project(every, known, Schemas.load(()).including(api.document for api in known.apis.composites.values()))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What running a case gave. ``failures`` are texts for people; with ``could_not_check`` the case was not judged."""

    case: Case
    failures: tuple[str, ...] = ()
    could_not_check: CouldNotCheck | None = None
    updated: bool = False

    @property
    def passed(self) -> bool:
        """Say whether the case was judged and nothing was wrong."""
        return not self.failures and self.could_not_check is None


def run(case: Case, project: Project | None = None, *, update: bool = False) -> Outcome:
    """Run ``case`` and return its outcome; nothing is raised for a case that cannot be read or rendered.

    Args:
        case: the folder.
        project: where APIs and Compositions are found that the case does not hold; default: that of the working folder.
        update: write what became of the case into its expected.yaml, where it differs.
    """
    try:
        return _judge(case, project or Project.of(), update=update)
    except (UnknownFunctionError, TooLargeError, LoadError) as error:
        return Outcome(case, could_not_check=CouldNotCheck(error.what, error.where or str(case.folder), error.hint))
    except CrossgateError as error:
        return Outcome(case, (str(error),))


def rendered(case: Case, project: Project | None = None) -> Single:
    """Render a case's input.

    Raises:
        LoadError: the case cannot be read.
        RenderError: it cannot be rendered.
    """
    return _rendered(case, _with_own(case, project or Project.of()))


def _with_own(case: Case, project: Project) -> Project:
    return project.including((*case.documents("composition.yaml"), *case.documents("xrd.yaml")))


def _rendered(case: Case, project: Project) -> Single:
    document = case.input
    compositions = Known.of(case.documents("composition.yaml")).compositions.by_name.values()
    return render_single(
        document,
        project.known,
        project.schemas,
        composition=only_for(document, compositions, project.known),
        observed=[found.body for found in case.documents("observed.yaml")],
        required=[found.body for found in case.documents("required.yaml")],
        context=case.context or None,
    )


def _judge(case: Case, project: Project, *, update: bool) -> Outcome:
    settings = case.settings
    expected = case.documents(EXPECTED)
    project = _with_own(case, project)
    try:
        single = _rendered(case, project)
    except (UnknownFunctionError, TooLargeError):
        raise
    except RenderError as error:
        return _failed(case, settings, error)
    if settings.error:
        return Outcome(case, (f"rendering should have failed with {settings.error!r}, but it did not",))
    exact = settings.match == "exact"
    xr, composed = single.rendering.xr, single.rendering.composed
    differences = compare(expected, xr, composed, exact=exact) if expected else []
    updated = update and bool(differences or not (expected or settings.assertions))
    if updated:
        from crossgate.testing.update import updated_text  # noqa: PLC0415 (writing YAML is not needed to compare)

        case.path(EXPECTED).write_text(updated_text(expected, xr, composed, exact=exact), encoding="utf-8")
        expected = case.documents(EXPECTED)
        differences = compare(expected, xr, composed, exact=exact)
    failures = [*map(str, differences), *_assertion_failures(settings.assertions, single, project)]
    if not expected and not settings.assertions:
        failures.append("nothing is expected: add expected.yaml (crossgate test --update writes it) or assertions in case.yaml")
    return Outcome(case, tuple(failures), updated=updated)


def _failed(case: Case, settings: Settings, error: RenderError) -> Outcome:
    if settings.error and settings.error in str(error):
        return Outcome(case)
    wanted = f"the error should contain {settings.error!r}, but it is:\n" if settings.error else ""
    return Outcome(case, (f"{wanted}{error}",))


def _assertion_failures(assertions: tuple[Assertion, ...], single: Single, project: Project) -> Iterator[str]:
    if not assertions:
        return
    from crossgate.schema.celengine import Unsupported, evaluate  # noqa: PLC0415 (loading the CEL engine costs time)

    rendering = single.rendering
    variables: dict[str, Any] = {
        "input": single.document.body,
        "xr": rendering.xr,
        "composed": rendering.composed,
        "resources": {str(follow(body, TEMPLATE_ANNOTATION)): body for body in rendering.composed},
        "everything": [],
        "context": rendering.context,
        "warnings": list(rendering.warnings),
    }
    if any("everything" in assertion.cel for assertion in assertions):
        variables["everything"] = [resource.body for resource in descended(single, project.known, project.schemas)]
    for assertion in assertions:
        try:
            answer = evaluate(assertion.cel, variables, old_self=False)
        except Unsupported as error:
            raise LoadError(f"this assertion cannot be evaluated: {error}", assertion.cel, "mend the expression") from error
        except ValueError as error:
            answer = error
        if answer is not True:
            said = f"{assertion.message}: " if assertion.message else ""
            yield f"{said}{assertion.cel} is {_answer(answer)}"


def _answer(answer: Any) -> str:
    if isinstance(answer, ValueError):
        return f"an error: {answer}"
    return "false" if answer is False else f"{answer!r}, which is not true"
