"""The embedded engine: regorus, in this process, with OPA's missing built-ins added.

Regorus appends a stack trace to every error, says nothing when a query names no rule, and lets a policy call
``http.send`` without effect; here errors are cut to place and cause, and what OPA would refuse is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import regorus  # type: ignore[import-untyped] # the wheel has no stubs

from crossgate.errors import PolicyError
from crossgate.policy.builtins import FUNCTIONS, WAYS_OUT, refuse
from crossgate.policy.bundle import Bundle, Module
from crossgate.policy.rules import OWN, Rule, reference
from crossgate.policy.syntax import Outline, without_aliases

HOLDERS = ("List", "Object")
"""Kinds that hold other objects: a List (of any kind that ends so), and the wrapped manifest of provider-kubernetes."""

_ENTRY = "crossgate_entry"
_ERROR = re.compile(r"--> (?P<file>.+?):(?P<line>\d+):(?P<column>\d+)\n.*?^error: (?P<cause>.*?)(?:\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class EngineError(Exception):
    """The engine could not evaluate: the cause, and the place in the policy when it names one."""

    cause: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What came out: pairs of rule index and raw value, and pairs of package and exempted rule suffix."""

    values: tuple[tuple[int, Any], ...] = ()
    exempted: tuple[tuple[tuple[str, ...], str], ...] = ()


class Embedded:
    """A loaded bundle that answers for one input at a time."""

    def __init__(self, bundle: Bundle, rules: tuple[Rule, ...], rego_v0: bool, engine: Any) -> None:
        self.rules = rules
        self._bundle = bundle
        self._rego_v0 = rego_v0
        self._packages = tuple(dict.fromkeys(rule.package for rule in rules if not rule.own))
        self._engine = engine
        try:
            kinds = self._kinds_of_rules()
        except EngineError as error:
            raise PolicyError(f"the policies do not compile: {error.cause}", error.place, _hint(error.cause)) from None
        self._entries = {kind: f"kind_{number}" for number, kind in enumerate(sorted(set().union(*kinds.values())))}
        self._engine.add_policy(_ENTRY, self._entry(kinds))

    def _kinds_of_rules(self) -> dict[int, frozenset[str]]:
        """Return the kinds that a rule names as ``kinds``: it says nothing about others, so it is not asked.

        This is the first question to the engine, which analyses all policies before it answers. Objects of these
        kinds also stand inside Lists and Objects; a rule looks into them itself.
        """
        naming = {module.outline.package for module in self._bundle.modules if "kinds" in module.outline.rules}
        asked = [(index, rule) for index, rule in enumerate(self.rules) if rule.own and rule.package in naming and not rule.estate]
        lines = [f"package {_ENTRY}_kinds", "import rego.v1", "named contains [-1, 0] if false"]
        lines += [f"named contains [{index}, kind] if some kind in {reference('data', *rule.package, 'kinds')}" for index, rule in asked]
        self._engine.add_policy(f"{_ENTRY}_kinds", "\n".join(lines))
        found: dict[int, set[str]] = {index: set(HOLDERS) for index, _ in asked}
        for index, kind in json.loads(self._run("{}", f"data.{_ENTRY}_kinds.named")):
            found[index].add(kind)
        return {index: frozenset(kinds) for index, kinds in found.items()}

    @classmethod
    def load(cls, bundle: Bundle, rules: Iterable[Rule], *, rego_v0: bool = False) -> Embedded:
        """Load the bundle, to be asked for ``rules``.

        Raises:
            PolicyError: a policy does not compile, calls a built-in that does not exist or is a way out.
        """
        return cls(bundle, tuple(rules), rego_v0, load_engine(bundle, rego_v0=rego_v0))

    def without(self, rules: Iterable[Rule]) -> Embedded:
        """Return the same bundle, no longer asked for ``rules``."""
        left = [rule for rule in self.rules if rule not in rules]
        return Embedded.load(self._bundle, left, rego_v0=self._rego_v0)

    def _entry(self, kinds: dict[int, frozenset[str]]) -> str:
        """Write the module that gathers the results of all rules, so that one query crosses into the engine once."""
        exempting = {module.outline.package for module in self._bundle.modules if "exception" in module.outline.rules}
        names = ["documents", "estate", *self._entries.values()]
        lines = [f"package {_ENTRY}", "import rego.v1", *(f"{name} contains [-1, 0] if false" for name in names)]
        for index, rule in enumerate(self.rules):
            asking = ["estate" if rule.estate else "documents"]
            if index in kinds:
                asking = [self._entries[kind] for kind in sorted(kinds[index])]
            lines += [f"{name} contains [{index}, value] if {{ value := {rule.reference}; value != set() }}" for name in asking]
        for number, package in enumerate(self._packages):
            if package in exempting:
                exempt = (
                    f"contains [{-2 - number}, name] if {{ some names in {reference('data', *package, 'exception')}; some name in names }}"
                )
                lines += [f"documents {exempt}", f"estate {exempt}"]
        return "\n".join(lines)

    def evaluate(self, document: str, kind: str = "", *, estate: bool = False) -> Evaluation:
        """Evaluate all rules for documents (or for the estate) with ``document`` (JSON, of this ``kind``) as input.

        Raises:
            EngineError: a rule cannot be evaluated; which one is found by ``evaluate_rule``.
        """
        answer = json.loads(self._run(document, f"data.{_ENTRY}.{'estate' if estate else 'documents'}"))
        special = self._entries.get("List" if kind.endswith("List") else kind)
        if special and not estate:
            answer += json.loads(self._run(None, f"data.{_ENTRY}.{special}"))
        values, exempted = [], []
        for index, value in answer:
            if index >= 0:
                values.append((index, value))
            elif isinstance(value, str):
                exempted.append((self._packages[-2 - index], value))
        return Evaluation(tuple(values), tuple(exempted))

    def evaluate_rule(self, document: str, index: int) -> Evaluation:
        """Evaluate one rule alone.

        Raises:
            EngineError: it cannot be evaluated.
        """
        rule = self.rules[index]
        answer = json.loads(self._run(document, rule.reference, query=True))
        value = answer["result"][0]["expressions"][0]["value"] if answer.get("result") else []
        return Evaluation(((index, value),) if value != [] else ())

    def _run(self, document: str | None, what: str, *, query: bool = False) -> str:
        """Ask the engine about ``document``, or about the one before when it is None."""
        try:
            if document is not None:
                self._engine.set_input_json(document)
            answer: str = self._engine.eval_query_as_json(what) if query else self._engine.eval_rule_as_json(what)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic in the engine is no Exception
            raise engine_error(error) from None
        return answer


def load_engine(bundle: Bundle, *, tests: bool = False, rego_v0: bool = False) -> Any:
    """Return a regorus engine with the bundle's modules (and its tests), data and built-ins.

    Raises:
        PolicyError: a policy does not compile, calls a built-in that does not exist or is a way out.
    """
    engine = regorus.Engine()
    engine.set_rego_v0(rego_v0)
    engine.set_gather_prints(True)
    engine.set_policy_length_config(max_col=1 << 20, max_file_bytes=1 << 26, max_lines=1 << 20)
    modules = (*bundle.modules, *bundle.tests) if tests else bundle.modules
    for name, (operands, function) in FUNCTIONS.items():
        engine.add_extension(name, operands, function)
    for name, operands in WAYS_OUT.items():
        engine.add_extension(name, operands, refuse(name))
    constants = _constants(bundle.modules)
    literals = {} if tests else _literals(constants)  # a test may put another list in place of one
    for module in modules:
        if constants is not None and _is_list(module):
            continue
        try:
            engine.add_policy(module.name, without_aliases(module.text, module.outline.code, literals))
        except BaseException as error:
            problem = engine_error(error)
            raise PolicyError(f"the policy does not compile: {problem.cause}", problem.place or module.name, _hint(problem.cause)) from None
    _refuse_calls(modules)
    if bundle.data:
        engine.add_data_json(json.dumps(bundle.data))
    if constants is not None:
        engine.add_data(constants)
    return engine


def _constants(modules: Sequence[Module]) -> dict[str, Any] | None:
    """Return what the lists and limits (package ``crossgate.lists``) are, worked out once instead of for every document.

    None when there are none, or when one of them cannot be handed over as data; then they are evaluated as rules.
    """
    lists = [module for module in modules if _is_list(module)]
    if not lists or any("input" in module.text for module in lists):
        return None
    engine = regorus.Engine()
    engine.set_input_json("{}")
    try:
        for module in lists:
            engine.add_policy(module.name, module.text)
        answer = engine.eval_query("data.crossgate.lists")
    except Exception:  # a set of objects has no counterpart in Python; what is really wrong is said by the caller's engine
        return None
    return {"crossgate": {"lists": answer["result"][0]["expressions"][0]["value"]}}


def _literals(constants: dict[str, Any] | None) -> dict[str, str]:
    """Return the references to constants that are one text or number, and what to write for them."""
    lists = constants["crossgate"]["lists"] if constants else {}
    return {
        f"data.crossgate.lists.{name}.{key}": json.dumps(value)
        for name, values in lists.items()
        for key, value in values.items()
        if isinstance(value, (str, int))
    }


def _is_list(module: Module) -> bool:
    return module.outline.package[:2] == (OWN, "lists")


def engine_error(error: BaseException) -> EngineError:
    """Cut an error of the engine to its cause and place."""
    text = str(error).split("Stack backtrace", 1)[0].strip()
    match = _ERROR.search(text)
    if match is None:
        lines = text.splitlines()
        return EngineError(lines[-1].strip() if lines else f"the engine failed ({type(error).__name__})")
    cause = " ".join(match["cause"].split())
    place = f"{match['file']}:{match['line']}:{match['column']}"
    return EngineError(cause, "" if match["file"] == _ENTRY else place)


def _hint(cause: str) -> str:
    if "keyword is required" in cause:
        return "this is Rego v0: write it as v1 (opa fmt --v0-v1 -w does)"
    return "mend the policy; a policy that does not load judges nothing"


def _refuse_calls(modules: Sequence[Module]) -> None:
    """Refuse calls of what nobody defines: OPA would not compile them, regorus stops only when it gets there."""
    defined: dict[tuple[str, ...], set[str]] = {}
    for module in modules:
        defined.setdefault(module.outline.package, set()).update(module.outline.functions)
    native: frozenset[str] | None = None
    for module in modules:
        for construct in module.outline.misread:
            raise PolicyError(
                f"the embedded engine misreads {construct.name}",
                f"{module.name}:{construct.line}",
                "write it in another way (docs/policies.md)",
            )
        for call in module.outline.calls:
            first = call.name.partition(".")[0]
            if call.name in WAYS_OUT:
                raise PolicyError(
                    f"{call.name} is refused: a policy judges what it is given and reaches nothing else",
                    f"{module.name}:{call.line}",
                    "give the policy what it needs as data",
                )
            if call.name in FUNCTIONS or _local(call.name, first, module.outline, defined):
                continue
            native = native or frozenset(regorus.Engine().eval_query("opa.runtime()")["result"][0]["expressions"][0]["value"]["builtins"])
            if call.name not in native:
                raise PolicyError(
                    f"there is no built-in {call.name}",
                    f"{module.name}:{call.line}",
                    "mend the name; one that only OPA has cannot run in the embedded engine (docs/policies.md)",
                )


def _local(name: str, first: str, outline: Outline, defined: dict[tuple[str, ...], set[str]]) -> bool:
    return (
        name in defined.get(outline.package, ())
        or first in ("data", "input")
        or (first in outline.imported and first != "")
        or name in ("print", "set")
    )
