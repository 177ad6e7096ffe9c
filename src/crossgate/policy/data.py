"""Check the lists and limits of a bundle (package ``crossgate.lists``) against their schema, ``data/schema.json``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from crossgate.errors import PolicyError
from crossgate.policy.bundle import Bundle, read_bundle
from crossgate.policy.embedded import load_engine


def check_data(directories: Iterable[Path | str]) -> dict[str, Any]:
    """Return the data of a bundle, having checked each folder's ``data/schema.json`` where there is one.

    Raises:
        PolicyError: a list or limit is not what the schema says; a rule that reads it would look past faults.
    """
    import jsonschema  # noqa: PLC0415 - 130 ms that judging does not pay: lists change when policies do

    folders = [Path(directory) for directory in directories]
    values = lists_of(read_bundle(folders))
    for folder in folders:
        schema = folder / "data" / "schema.json"
        if not schema.is_file():
            continue
        rules = json.loads(schema.read_text(encoding="utf-8"))
        error = jsonschema.exceptions.best_match(jsonschema.validators.validator_for(rules)(rules).iter_errors(values))
        if error is not None:
            where = ".".join(str(step) for step in error.absolute_path)
            raise PolicyError(f"the data {where} is wrong: {error.message}", str(folder / "data"), f"{schema} says what it may be")
    return values


def lists_of(bundle: Bundle) -> dict[str, Any]:
    """Return the lists and limits of a bundle by file and name; sets are lists.

    Raises:
        PolicyError: a policy does not compile.
    """
    engine = load_engine(bundle)
    engine.set_input_json("{}")
    answer = json.loads(engine.eval_query_as_json("data.crossgate.lists"))
    values: dict[str, Any] = answer["result"][0]["expressions"][0]["value"] if answer.get("result") else {}
    return values
