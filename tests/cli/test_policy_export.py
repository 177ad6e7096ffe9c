"""``crossgate policy export`` as users call it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from crossgate.cli import crossgate

POLICIES = Path(__file__).parents[2] / "policies"


@pytest.fixture
def export(tmp_path: Path):
    def run(*arguments: str) -> Result:
        return CliRunner().invoke(crossgate, ["policy", "export", *arguments, "--policy", str(POLICIES)])

    return run


def test_a_stream_can_be_applied_in_its_order(export):
    """Templates come before Constraints, whose kinds they make."""
    result = export("gatekeeper")
    kinds = [document["kind"] == "ConstraintTemplate" for document in yaml.safe_load_all(result.stdout)]
    assert result.exit_code == 0
    assert kinds == sorted(kinds, reverse=True)
    assert len(kinds) == 2 * sum(kinds) > 40


def test_every_rule_is_in_the_table_with_the_reason(export):
    """What is not enforced at admission is never dropped in silence."""
    lines = re.sub(r"\n +", " ", export("gatekeeper").stderr).splitlines()
    said = dict(line.split(maxsplit=1) for line in lines[:-1])
    assert said["workload/probes"] == "exported"
    assert said["storage/versioned"].startswith("cannot be exported: it needs more than one object")
    assert said["secret/in-git"].startswith("cannot be exported: in a cluster every Secret holds data")
    exported = sum(text.startswith("exported") for text in said.values())
    assert lines[-1] == f"{exported} of {len(said)} rules exported"


def test_waivers_come_along_until_they_expire(tmp_path):
    """What a check lets pass would be refused by the cluster otherwise; what has expired goes with the next export."""
    for name in ("network", "lib", "data"):
        (tmp_path / name).symlink_to(POLICIES / name)
    waiver = "- {id: %s, rule: network/public-load-balancer, scope: {resource: Service a}, reason: The one door., owner: o, expires: %s}\n"
    (tmp_path / "waivers.yaml").write_text("waivers:\n" + waiver % ("door", "2999-12-31") + waiver % ("old", "2020-12-31"))
    result = CliRunner().invoke(crossgate, ["policy", "export", "gatekeeper", "--policy", str(tmp_path)])
    (constraint,) = [each for each in yaml.safe_load_all(result.stdout) if each["kind"] == "CrossgateNetworkPublicLoadBalancer"]
    assert [each["id"] for each in constraint["spec"]["parameters"]["waivers"]] == ["door"]
    assert constraint["metadata"]["annotations"]["crossgate/waivers"] == "door until 2999-12-31 (o)"
    assert "waived by door until 2999-12-31 (o): network/public-load-balancer" in result.stderr
    assert "waiver old is not exported: it expired on 2020-12-31" in result.stderr


def test_files_of_rules_that_are_gone_go_and_those_of_others_stay(export, tmp_path):
    """A Constraint that nobody writes any more would be enforced for ever."""
    assert export("vap", "-o", str(tmp_path)).exit_code == 0
    old = tmp_path / "gone.yaml"
    old.write_text((tmp_path / "workload-probes.yaml").read_text())
    (tmp_path / "mine.yaml").write_text("a: 1\n")
    assert export("vap", "-o", str(tmp_path), "--audit").exit_code == 0
    assert not old.exists()
    assert (tmp_path / "mine.yaml").exists()
    binding = list(yaml.safe_load_all((tmp_path / "workload-probes.yaml").read_text()))[1]
    assert binding["spec"]["validationActions"] == ["Audit"]


def test_a_file_of_somebody_else_is_not_written_over(export, tmp_path):
    (tmp_path / "workload-probes.yaml").write_text("a: 1\n")
    result = export("vap", "-o", str(tmp_path))
    assert "is in the way" in str(result.exception)
    assert (tmp_path / "workload-probes.yaml").read_text() == "a: 1\n"
