"""The embedded engine: regorus, in this process, with OPA's missing built-ins added.

Regorus appends a stack trace to every error, says nothing when a query names no rule, and lets a policy call
``http.send`` without effect; here errors are cut to place and cause, and what OPA would refuse is refused.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import regorus  # type: ignore[import-untyped] # the wheel has no stubs

from crossgate.errors import PolicyError
from crossgate.policy.builtins import FUNCTIONS, WAYS_OUT, refuse
from crossgate.policy.bundle import Bundle, Module
from crossgate.policy.engine import Answer, Question
from crossgate.policy.isolate import Limits
from crossgate.policy.named import Named
from crossgate.policy.process import LARGE, EngineError, ask, ask_at_once
from crossgate.policy.rules import DECLARED, OWN, Rule, reference
from crossgate.policy.syntax import Outline, without_aliases

os.environ.setdefault("RUST_LIB_BACKTRACE", "0")
"""Regorus swallows many errors while it evaluates; where RUST_BACKTRACE is set each would be written with its stack (25 µs)."""

_ENTRY = "crossgate_entry"

_TO_OPA = "--engine opa --opa-url URL (docs/policies.md)"
_V0 = "keyword is required"
"""What the engine says of a rule without ``if`` or ``contains``."""
_WAYS_OUT = Named(WAYS_OUT)
_ERROR = re.compile(r"--> (?P<file>.+?):(?P<line>\d+):(?P<column>\d+)\n.*?^error: (?P<cause>.*?)(?:\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)


class Embedded:
    """A loaded bundle. Questions are answered in a process that may be lost."""

    def __init__(self, bundle: Bundle, rules: tuple[Rule, ...], engine: Any) -> None:
        self._engine = engine
        self._exempting = {module.outline.package for module in bundle.modules if "exception" in module.outline.rules}
        self._packages = tuple(dict.fromkeys(rule.package for rule in rules if rule.package in self._exempting))
        self._entries: dict[tuple[int, ...], str] = {}
        try:
            declared = self._declared(bundle, rules)
        except EngineError as error:
            raise PolicyError(f"the policies do not compile: {error.cause}", error.place, _hint(error.cause)) from None
        self.rules = tuple(rule.declaring(declared.get(index, {})) for index, rule in enumerate(rules))

    def _declared(self, bundle: Bundle, rules: Sequence[Rule]) -> dict[int, dict[str, Any]]:
        """Return what rules declare about themselves (``DECLARED``), by index.

        This is the first question to the engine, which analyses all policies before it answers.
        """
        lines = [f"package {_ENTRY}_declared", "import rego.v1", "named contains [-1, {}] if false"]
        for module in bundle.modules:
            for name in DECLARED & module.outline.rules.keys():
                for index, rule in enumerate(rules):
                    if rule.own and rule.package == module.outline.package:
                        lines.append(f"named contains [{index}, {json.dumps(name)}, {reference('data', *rule.package, name)}]")
        self._engine.add_policy(f"{_ENTRY}_declared", "\n".join(lines))
        found: dict[int, dict[str, Any]] = {}
        for index, name, value in json.loads(self._run("{}", f"data.{_ENTRY}_declared.named")):
            if index >= 0:
                found.setdefault(index, {})[name] = value
        return found

    @classmethod
    def load(cls, bundle: Bundle, rules: Iterable[Rule], *, rego_v0: bool = False) -> Embedded:
        """Load the bundle, to be asked for ``rules``; its own ``rules`` are these, with what they declare about themselves.

        Raises:
            PolicyError: a policy does not compile, calls a built-in that does not exist or is a way out.
        """
        return cls(bundle, tuple(rules), load_engine(bundle, rego_v0=rego_v0))

    def ask(self, questions: Sequence[Question], limits: Limits) -> Iterator[Answer]:
        """Answer each question, in order: see ``engine.Engine``."""
        self._enter({question.rules for question in questions if question.rules})
        several = sum(len(question.text) > LARGE for question in questions) > 1
        return ask_at_once(self, questions, limits) if several else ask(self, questions, limits)

    def _enter(self, asked: Iterable[tuple[int, ...]]) -> None:
        """Write for each combination of rules what gathers their results, so that one query crosses into the engine once."""
        fresh = sorted(set(asked) - self._entries.keys())
        if not fresh:
            return
        package = f"{_ENTRY}_{len(self._entries)}"
        lines = [f"package {package}", "import rego.v1"]
        for number, rules in enumerate(fresh):
            name = f"asked_{number}"
            self._entries[rules] = f"data.{package}.{name}"
            lines.append(f"{name} contains [-1, 0] if false")
            references = [(index, self.rules[index].reference) for index in rules]
            lines += [f"{name} contains [{index}, value] if {{ value := {wanted}; value != set() }}" for index, wanted in references]
            for number_, package_ in enumerate(self._packages):
                if any(self.rules[index].package == package_ for index in rules):
                    names = reference("data", *package_, "exception")
                    lines.append(f"{name} contains [{-2 - number_}, name] if {{ some names in {names}; some name in names }}")
        self._engine.add_policy(package, "\n".join([*lines, "entered := true"]))
        self._run("{}", f"data.{package}.entered")  # the engine analyses what is new now, and not anew in each process that is lost

    def evaluate(self, document: str, rules: Sequence[int]) -> Answer:
        """Evaluate ``rules`` (indexes) with ``document`` (JSON) as input.

        Raises:
            EngineError: one of them cannot be evaluated; asked one by one they say which.
        """
        asked = tuple(rules)
        self._enter([asked])
        values, exempted = [], []
        for index, value in json.loads(self._run(document, self._entries[asked])):
            if index >= 0:
                values.append((index, value))
            elif isinstance(value, str):
                exempted.append((self._packages[-2 - index], value))
        return Answer(tuple(values), tuple(exempted))

    def _run(self, document: str, what: str) -> str:
        try:
            self._engine.set_input_json(document)
            answer: str = self._engine.eval_rule_as_json(what)
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
    refuse_everywhere(modules, rego_v0=True)  # the engine itself has said what is v0
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
    """Return the references to constants, and what to write for them."""
    lists = constants["crossgate"]["lists"] if constants else {}
    return {f"data.crossgate.lists.{name}.{key}": _literal(value) for name, values in lists.items() for key, value in values.items()}


def _literal(value: Any) -> str:
    """Write a value as Rego does."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_literal(key)}: {_literal(item)}' for key, item in value.items())}}}"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(_literal, value)))}}}" if value else "set()"
    return f"[{', '.join(map(_literal, value))}]" if isinstance(value, list) else json.dumps(value)


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
    return EngineError(cause, "" if match["file"].startswith(_ENTRY) else place)


def _hint(cause: str) -> str:
    if _V0 in cause:
        return "this is Rego v0: write it as v1 (opa fmt --v0-v1 -w does)"
    return f"mend the policy; what is right and only OPA understands, OPA judges: {_TO_OPA}"


def refuse_everywhere(modules: Sequence[Module], *, rego_v0: bool) -> None:
    """Refuse what no engine is given.

    That is a built-in that reaches out, be it called or put in place of another (``with count as http.send``), and Rego v0 where v1 is
    expected, which a server of OPA would only write into its log.

    Raises:
        PolicyError: a policy does one or the other.
    """
    for module in modules:
        for found in _WAYS_OUT.within(module.text):
            if not module.outline.code.startswith(found[0][:3], found.start()):
                continue  # in a comment or a text
            raise PolicyError(
                f"{found[0]} is refused: a policy judges what it is given and reaches nothing else",
                f"{module.name}:{module.text.count(chr(10), 0, found.start()) + 1}",
                "give the policy what it needs as data",
            )
        if rego_v0:
            continue
        try:
            regorus.Engine().add_policy(module.name, module.text)
        except BaseException as error:
            problem = engine_error(error)
            if _V0 in problem.cause:
                raise PolicyError(f"the policy does not compile: {problem.cause}", problem.place, _hint(problem.cause)) from None


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
                f"write it in another way, or let OPA judge: {_TO_OPA}",
            )
        for call in module.outline.calls:
            first = call.name.partition(".")[0]
            if call.name in FUNCTIONS or _local(call.name, first, module.outline, defined):
                continue
            native = native or frozenset(regorus.Engine().eval_query("opa.runtime()")["result"][0]["expressions"][0]["value"]["builtins"])
            if call.name not in native:
                raise PolicyError(
                    f"there is no built-in {call.name}",
                    f"{module.name}:{call.line}",
                    f"mend the name; one that only OPA has, OPA judges: {_TO_OPA}",
                )


def _local(name: str, first: str, outline: Outline, defined: dict[tuple[str, ...], set[str]]) -> bool:
    return (
        name in defined.get(outline.package, ())
        or first in ("data", "input")
        or (first in outline.imported and first != "")
        or name in ("print", "set")
    )
