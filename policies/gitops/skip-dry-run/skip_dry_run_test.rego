package crossgate.gitops.skip_dry_run_test

import rego.v1

import data.crossgate.gitops.skip_dry_run

messages(documents) := {finding.msg | some finding in skip_dry_run.warn with input as [{"path": "a.yaml", "contents": document} | some document in documents]}

synced(version, kind, options) := {
	"apiVersion": version,
	"kind": kind,
	"metadata": {"name": "n", "annotations": {"argocd.argoproj.io/sync-wave": "1", "argocd.argoproj.io/sync-options": options}},
}

xrd := {"kind": "CompositeResourceDefinition", "spec": {"group": "ml.example.org", "claimNames": {"kind": "PoolClaim"}}}

test_refuses if {
	messages([xrd, synced("ml.example.org/v1", "PoolClaim", "")]) == {"PoolClaim comes in the same sync as its API"}
	messages([xrd, synced("ml.example.org/v1", "PoolClaim", "SkipDryRunOnMissingResource=false")]) == {"PoolClaim comes in the same sync as its API"}
	count(messages([{"kind": "Provider", "metadata": {}}, synced("gcp.upbound.io/v1beta1", "ProviderConfig", "Prune=confirm")])) == 1
}

test_lets_pass if {
	messages([xrd, synced("ml.example.org/v1", "PoolClaim", "Prune=confirm,SkipDryRunOnMissingResource=true")]) == set()
	messages([xrd, synced("other.example.org/v1", "PoolClaim", "")]) == set()
	messages([synced("ml.example.org/v1", "PoolClaim", "")]) == set()
	messages([xrd, {"apiVersion": "ml.example.org/v1", "kind": "PoolClaim", "metadata": {"name": "n"}}]) == set()
	messages([xrd, object.union(synced("ml.example.org/v1", "PoolClaim", ""), {"metadata": {"ownerReferences": [{"name": "p"}]}})]) == set()
}

test_silent_about_documents if count(skip_dry_run.warn) == 0 with input as synced("ml.example.org/v1", "PoolClaim", "")

test_bypass_by_options_that_are_others if {
	every text in ["skipDryRunOnMissingResource=true", "SkipDryRunOnMissingResource=True", "xSkipDryRunOnMissingResource=true", "SkipDryRunOnMissingResource"] {
		count(messages([xrd, synced("ml.example.org/v1", "PoolClaim", text)])) == 1
	}
}
