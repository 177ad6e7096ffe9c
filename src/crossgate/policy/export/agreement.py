"""Compare a twin in CEL with its Rego on documents: above all on those that the rule's own tests are about."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from crossgate.errors import PolicyError
from crossgate.policy.bundle import Bundle
from crossgate.policy.embedded import engine_error, load_engine
from crossgate.policy.export.twins import Twin
from crossgate.policy.rules import Rule, Scope

_ASKS = re.compile(r"(?<=[|{\n])[ \t]*(some \w+ in [\w.]+ with input as )")
_SEEN = "crossgate_seen"
_NAMED = re.compile(r"\bvariables\.(\w+)")


class Comparison:
    """The rules of a bundle with their tests, loaded once to be asked about documents.

    The tests run on the embedded engine with a look at every ``some … in … with input as …``.
    """

    def __init__(self, bundle: Bundle) -> None:
        """Load the bundle. Raises PolicyError when it, or a test, does not compile."""
        watched = [replace(module, text=_looked_at(module.text, module.outline.code)) for module in bundle.tests]
        self._tests = bundle.tests
        self._seen: dict[str, dict[str, Any]] = {}
        self._engine = load_engine(replace(bundle, tests=()), tests=True)
        self._engine.add_extension(_SEEN, 1, self._see)
        for module in watched:
            self._engine.add_policy(module.name, module.text)

    def _see(self, value: Any) -> bool:
        for document in value if isinstance(value, list) else [value]:
            body = document["contents"] if isinstance(document, dict) and set(document) == {"path", "contents"} else document
            if isinstance(body, dict):
                self._seen.setdefault(text := json.dumps(body, sort_keys=True, default=list), json.loads(text))
        return True

    def documents(self, rule: Rule) -> list[dict[str, Any]]:
        """Return the objects that the tests of a rule give it as input, each once."""
        package = (*rule.package[:-1], f"{rule.package[-1]}_test")
        self._seen.clear()
        self._engine.set_input_json("{}")
        for module in self._tests:
            if module.outline.package == package:
                for name in module.outline.rules:
                    if name.startswith("test_"):
                        self._ask(f"data.{'.'.join(package)}.{name}")
        return list(self._seen.values())

    def refuses(self, rule: Rule, document: dict[str, Any]) -> bool:
        """Say whether the Rego refuses an object; a rule over several objects sees it alone."""
        self._engine.set_input_json(
            json.dumps([{"path": "object.yaml", "contents": document}] if rule.scope is not Scope.DOCUMENT else document)
        )
        return bool(json.loads(self._ask(rule.reference)))

    def _ask(self, reference: str) -> str:
        try:
            answer: str = self._engine.eval_rule_as_json(reference)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic in the engine is no Exception
            problem = engine_error(error)
            raise PolicyError(f"{reference} cannot be evaluated: {problem.cause}", problem.place) from None
        return answer

    def disagreement(self, rule: Rule, twin: Twin, documents: Iterable[dict[str, Any]] | None = None) -> str:
        """Say where a twin and its Rego part on documents (default: those of the rule's tests); the empty string when they agree.

        A twin that leaves something out may let pass what the Rego refuses, never the other way round. Documents of which
        none is refused by the twin show nothing.
        """
        refused = 0
        for document in self.documents(rule) if documents is None else documents:
            if not applies(twin, document):
                continue
            said = faults(twin, document)
            if isinstance(said, str):
                return f"its twin cannot be evaluated ({said}) for {_short(document)}"
            rego = self.refuses(rule, document)
            refused += bool(said)
            if bool(said) != rego and not (twin.partial and rego):
                verdicts = f"CEL {'refuses' if said else 'lets pass'}, Rego {'refuses' if rego else 'lets pass'}"
                return f"its twin disagrees: {verdicts} {_short(document)}"
        return "" if refused else "no document of its tests is refused by its twin, so that nothing shows that they agree"


def _looked_at(text: str, code: str) -> str:
    """Put a call before each question of a test that shows the input it asks about; ``code`` is the text without strings and comments."""
    written, end = [], 0
    for match in _ASKS.finditer(code):
        given = text[match.end() : match.end() + _length(code[match.end() :])]
        written += [text[end : match.start(1)], f"{_SEEN}({given}); "]
        end = match.start(1)
    return "".join([*written, text[end:]])


def _length(code: str) -> int:
    """Return how long the term is with which a text starts: a name, or something in brackets."""
    if name := re.match(r"\w+", code):
        return name.end()
    depth = 0
    for index, character in enumerate(code):
        depth += (character in "[{(") - (character in ")}]")
        if depth == 0:
            return index + 1
    return 0


def applies(twin: Twin, document: dict[str, Any]) -> bool:
    """Say whether an object is of a kind that the twin names; one without an apiVersion (in tests) may be of any group."""
    version = document.get("apiVersion")
    group = version.rpartition("/")[0] if isinstance(version, str) else None
    return any(kind == document.get("kind") and group in (None, of) for of, kind in twin.kinds)


def faults(twin: Twin, document: dict[str, Any]) -> list[str] | str:
    """Return what the twin says about an object, or the error with which the server would refuse it."""
    from crossgate.schema.celengine import Unsupported, evaluate  # noqa: PLC0415 - the engine of CEL is loaded for this alone
    from crossgate.schema.celtext import read_rule  # noqa: PLC0415 - likewise

    expressions = dict(twin.variables)
    values: dict[str, Any] = {}
    document = stored(document)

    def work_out(text: str) -> Any:
        for name in dict.fromkeys(_NAMED.findall(text)):  # variables are worked out when they are named
            if name in expressions and name not in values:
                values[name] = work_out(expressions[name])
        return evaluate(read_rule(text).source, {"object": document, "variables": values}, old_self=False)

    try:
        return [said for fault in twin.faults for said in work_out(fault)]
    except (Unsupported, ValueError) as error:
        return str(error) or type(error).__name__


def stored(value: Any) -> Any:
    """Return an object as the API server has it: a field that is null is not there."""
    if isinstance(value, dict):
        return {key: stored(inner) for key, inner in value.items() if inner is not None}
    return [stored(inner) for inner in value] if isinstance(value, list) else value


def _short(document: dict[str, Any]) -> str:
    text = json.dumps(document)
    return text if len(text) <= 160 else f"{text[:157]}..."
