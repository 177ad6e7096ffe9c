from __future__ import annotations

from crossgate.render.reading_order import in_reading_order


def test_what_it_is_comes_first_and_the_rest_keeps_its_order() -> None:
    body = {"status": {}, "spec": {"b": 1, "a": 2}, "metadata": {"labels": {}, "uid": "u", "name": "n"}, "kind": "K", "apiVersion": "v1"}
    ordered = in_reading_order(body)
    assert ordered == body
    assert list(ordered) == ["apiVersion", "kind", "metadata", "status", "spec"]
    assert list(ordered["metadata"]) == ["name", "labels", "uid"]
    assert list(ordered["spec"]) == ["b", "a"]


def test_objects_without_metadata() -> None:
    assert list(in_reading_order({"data": 1, "kind": "K"})) == ["kind", "data"]
    assert in_reading_order({"metadata": None}) == {"metadata": None}
