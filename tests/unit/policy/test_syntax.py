from __future__ import annotations

import pytest

from crossgate.policy.syntax import outline, without_aliases


def test_package_rules_and_lines():
    found = outline(
        "# a\npackage a.b\n\nimport rego.v1\n\ndeny contains x if {\n\tx := 1\n}\n\nwarn_big contains 1\n\ndefault allow := false\n"
    )
    assert found.package == ("a", "b")
    assert found.package_line == 2
    assert found.rules == {"deny": 6, "warn_big": 10, "allow": 12}
    assert list(found.deciding) == ["deny", "warn_big"]


def test_quoted_package_parts_are_parts():
    assert outline('package a["b-c"].d').package == ("a", "b-c", "d")


def test_rego_v0_rules_are_seen_so_that_they_are_never_zero_rules():
    assert outline('package main\ndeny[msg] {\n  msg := 1\n}\nviolation[{"msg": m}] { m := 1 }').deciding == {"deny": 2, "violation": 5}


def test_names_that_only_begin_like_a_deciding_rule_do_not_decide():
    assert outline("package a\ndenylist := 1\ndeny_ := 2\nwarning := 3\ndeny_list_2 := 4").deciding == {"deny_list_2": 5}


def test_strings_and_comments_hide_what_looks_like_a_call():
    found = outline('package a\nx := "http.send(1)" # http.send(2)\ny := `http.send(\n3)`\nz := count("a\\"b(")\n')
    assert [call.name for call in found.calls] == ["count"]


def test_lines_count_on_through_raw_strings():
    assert outline("package a\nx := `1\n2\n3`\ny := count([])\n").calls[0].line == 5


@pytest.mark.parametrize(
    ("written", "name"), [(r'"x\u0041"', "xA"), (r'"a\"b\n"', 'a"b\n'), (r'"a]b"', "a]b"), (r'"a\\"', "a\\"), ('""', ""), ('"a.b"', "a.b")]
)
def test_a_quoted_part_says_what_its_escapes_do(written, name):
    """A rule that is asked for under another name than the engine's answers nothing, and that was a pass."""
    assert outline(f"package foo[{written}].c\n").package == ("foo", name, "c")


def test_calls_with_a_quoted_part_are_seen():
    assert [call.name for call in outline('package a\nx := http["send"]({})\n').calls] == ["http.send"]


def test_heads_of_functions_are_no_calls_but_names():
    found = outline("package a\nf(x) := count(x)\n\ng(x) := f(x) if not f(1)\n")
    assert found.functions == {"f", "g"}
    assert [call.name for call in found.calls] == ["count", "f", "f"]


def test_imports_bind_their_last_part_or_alias():
    assert outline("package a\nimport data.b.c\nimport data.d as e\nimport rego.v1\n").imported == {"c", "e", "v1"}


def test_rules_inside_bodies_are_no_rules():
    assert outline("package a\nx if {\n\tdeny_y := 1\n\tdeny_y == 1\n}\n").deciding == {}


def test_text_that_is_no_rego_has_no_package():
    assert outline("not rego").package == ()


def test_imported_packages_are_written_out_where_they_are_used():
    text = 'package a\nimport data.b.c\nimport data.d as e\nimport rego.v1\nx := c.f(e["g"], y.c.z) # c.f\ny := "c.f"\n'
    assert without_aliases(text, outline(text).code, {}) == text.replace("x := c.f(e[", "x := data.b.c.f(data.d[")


def test_names_that_imports_do_not_bind_stay():
    text = "package a\nimport input.b\nx := b.c\n"
    assert without_aliases(text, outline(text).code, {}) == text


def test_constants_are_written_where_they_are_used():
    text = "package a\nimport data.l.m\nx := f(m.one, m.two, m.one.y, m.one[0], m.one(1))\n"
    assert without_aliases(text, outline(text).code, {"data.l.m.one": '"1"'}).endswith(
        'f("1", data.l.m.two, data.l.m.one.y, data.l.m.one[0], data.l.m.one(1))\n'
    )


def test_collections_among_constants_become_rules_of_the_module():
    """The engine goes through all modules for each reference into data, and once to a rule of the module itself."""
    text = "package a\nimport data.l.m\nx := m.some[y] if m.some.z in m.some\n"
    assert without_aliases(text, outline(text).code, {"data.l.m.some": '{"z": 1}'}) == (
        text.replace("m.some", "data_l_m_some") + '\ndata_l_m_some := {"z": 1}\n'
    )
