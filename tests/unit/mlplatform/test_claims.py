"""Claims that a team writes in YAML: what is wrong with one is said at its own line."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossgate.errors import LoadError, SynthError
from crossgate.load import load_paths, sourcemap
from mlplatform.core import Platform, written_claims
from mlplatform.gpucluster import GPU_CLUSTER

GOOD = """\
# a comment above
apiVersion: ml.hinterbuild.com/v1alpha1
kind: GPUClusterClaim
metadata:
  name: a
  labels: {owner: somebody}
spec:
  parameters:
    name: a
    maxNodes: 3
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CDK8S_OUTDIR", str(tmp_path / "dist"))
    (tmp_path / "claims").mkdir()
    return tmp_path


def synth(project: Path, text: str) -> None:
    (project / "claims" / "c.yaml").write_text(text)
    platform = Platform()
    folder = platform.folder("40-claims/t")
    apis = {GPU_CLUSTER.claim_kind: GPU_CLUSTER}
    written_claims(folder, Path("claims"), apis, namespace="ml-team-t", labels={"team": "t", "owner": "t-leads"})
    platform.synth()


def test_a_claim_gets_namespace_and_labels_of_its_team_and_keeps_its_own(project: Path) -> None:
    synth(project, GOOD)
    [claim] = load_paths([project / "dist"], root=project).documents
    assert claim.body["metadata"]["namespace"] == "ml-team-t"
    assert claim.body["metadata"]["labels"] == {"team": "t", "owner": "somebody"}


def test_argo_asks_before_it_deletes_what_holds_data(project: Path) -> None:
    synth(project, GOOD)
    [claim] = load_paths([project / "dist"], root=project).documents
    options = claim.body["metadata"]["annotations"]["argocd.argoproj.io/sync-options"]
    assert options == "Prune=confirm,Delete=confirm,SkipDryRunOnMissingResource=true"


def test_a_field_leads_back_to_its_line_in_the_claim(project: Path) -> None:
    synth(project, GOOD)
    [claim] = sourcemap.Sources(project).placed(load_paths([project / "dist"], root=project).documents)
    place = claim.place(("spec", "parameters", "maxNodes"))
    assert (place.file, place.line) == ("claims/c.yaml", 10)
    assert claim.place(("metadata", "namespace")).line == claim.place(("metadata",)).line, "what synth added points at the field above"


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        (GOOD.replace("GPUClusterClaim", "GPUCluster"), "no claim of the platform", "claims/c.yaml:3"),
        (GOOD.replace("v1alpha1", "v1"), "no claim of the platform", "claims/c.yaml:"),
        (GOOD.replace("  name: a\n", "", 1), r"GPUClusterClaim without metadata\.name", "claims/c.yaml:4"),
        (GOOD.replace("  name: a\n", "  name: a\n  namespace: ml-team-u\n", 1), "namespace ml-team-u", "claims/c.yaml:6"),
    ],
)
def test_a_wrong_document_is_refused_at_its_line(project: Path, text: str, what: str, where: str) -> None:
    with pytest.raises(SynthError, match=what) as raised:
        synth(project, text)
    assert raised.value.where.startswith(where)


def test_a_file_that_is_no_yaml_is_named(project: Path) -> None:
    with pytest.raises(LoadError) as raised:
        synth(project, "a: [")
    assert "claims/c.yaml" in str(raised.value)


def test_a_claim_that_is_written_twice_names_both_places(project: Path) -> None:
    (project / "claims" / "b.yaml").write_text(GOOD)
    with pytest.raises(SynthError) as caught:
        synth(project, GOOD)
    assert caught.value.where == "claims/c.yaml:2"
    assert "claims/b.yaml:2" in caught.value.hint
