package crossgate.gitops.sync_wave_test

import rego.v1

import data.crossgate.gitops.sync_wave

messages(documents) := {finding.msg | some finding in sync_wave.warn with input as [{"path": "a.yaml", "contents": document} | some document in documents]}

in_wave(kind, wave) := {"kind": kind, "metadata": {"name": "n", "annotations": {"argocd.argoproj.io/sync-wave": wave}}}

without(kind) := {"kind": kind, "metadata": {"name": "n"}}

test_refuses_the_wrong_order if {
	messages([in_wave("CompositeResourceDefinition", "10"), in_wave("Composition", "10")]) == {"Composition comes in wave 10, not after XRDs"}
	messages([in_wave("Composition", "20"), in_wave("GPUClusterClaim", "5")]) == {"GPUClusterClaim comes in wave 5, not after Compositions"}
	messages([in_wave("Provider", "1"), in_wave("Provider", "3"), in_wave("ProviderConfig", "2")]) == {"ProviderConfig comes in wave 2, not after packages"}
}

# What stands between two need not be there.
test_refuses_over_a_gap if {
	messages([in_wave("Provider", "5"), in_wave("GPUClusterClaim", "-1")]) == {"GPUClusterClaim comes in wave -1, not after packages"}
}

test_refuses_no_wave_among_waves if {
	messages([in_wave("CompositeResourceDefinition", "10"), without("Composition")]) == {"Composition says no sync wave"}
	messages([in_wave("CompositeResourceDefinition", "10"), in_wave("Composition", "soon")]) == {"Composition says no sync wave"}
}

test_lets_pass if {
	messages([in_wave("Provider", "-5"), in_wave("ProviderConfig", "0"), in_wave("CompositeResourceDefinition", "10"), in_wave("Composition", "20"), in_wave("GPUClusterClaim", "40")]) == set()
	messages([without("CompositeResourceDefinition"), without("Composition"), without("ConfigMap")]) == set()
	messages([without("GPUClusterClaim")]) == set()
	messages([in_wave("Provider", "5"), {"kind": "Function", "metadata": {"name": "n", "ownerReferences": [{"name": "p"}]}}]) == set()
}

test_silent_about_documents if count(sync_wave.warn) == 0 with input as without("Composition")

test_bypass_by_waves_that_are_none if {
	every wave in ["", " 40", "40.0", "0x28", "4e1", "forty", "+40"] {
		count(messages([in_wave("CompositeResourceDefinition", "10"), in_wave("Composition", wave)])) == 1
	}
}
