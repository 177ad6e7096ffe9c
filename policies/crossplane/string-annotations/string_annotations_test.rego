package crossgate.crossplane.string_annotations_test

import rego.v1

import data.crossgate.crossplane.string_annotations

paths(document) := {finding.path | some finding in string_annotations.deny with input as document}

annotated(value) := {"metadata": {"annotations": {"argocd.argoproj.io/sync-wave": value}}}

place := ["metadata", "annotations", "argocd.argoproj.io/sync-wave"]

test_refuses if {
	every value in [1, true, null, 1.5, {}, ["a"]] {
		paths(annotated(value)) == {place}
	}
	paths({"metadata": {"labels": {"a": "b", "c": 2}}}) == {["metadata", "labels", "c"]}
	paths({"spec": {"compositionSelector": {"matchLabels": {"tier": 1}}}}) == {["spec", "compositionSelector", "matchLabels", "tier"]}
}

test_refuses_in_every_place if {
	paths({"kind": "Composition", "spec": {"pipeline": [{"input": {"resources": [{"base": annotated(1)}]}}]}}) == {array.concat(["spec", "pipeline", 0, "input", "resources", 0, "base"], place)}
	paths({"kind": "Deployment", "spec": {"template": annotated(true)}}) == {array.concat(["spec", "template"], place)}
	paths({"kind": "Object", "spec": {"forProvider": {"manifest": annotated(false)}}}) == {array.concat(["spec", "forProvider", "manifest"], place)}
	paths({"kind": "List", "items": [annotated(1)]}) == {array.concat(["items", 0], place)}
}

test_lets_pass if {
	paths(annotated("1")) == set()
	paths({"metadata": {"labels": {}, "annotations": {"a": ""}}}) == set()
	paths({"kind": "CompositeResourceDefinition", "spec": {"schema": {"properties": {"metadata": {"labels": {"type": 1}}}}}}) == set()
	paths({"spec": {"forProvider": {"labels": {"a": 1}}}}) == set()
}

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": annotated(1)}]) == set()

# A value with a brace or a quote in it hides none after it.
test_bypass_behind_another_value if {
	every text in ["}", "{", "\"}", "\\", "a\nb", ","] {
		paths({"metadata": {"labels": {"a": text, "b": 1}}}) == {["metadata", "labels", "b"]}
	}
}
