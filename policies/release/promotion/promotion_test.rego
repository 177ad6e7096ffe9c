package crossgate.release.promotion_test

import rego.v1

import data.crossgate.release.promotion

change(made, held) := {"kind": "Change", "spec": {"objects": {"ModelService/a/b": made}, "held": held}}

changed(labels, folders) := {"labels": labels, "folders": folders, "pins": [{"what": "image", "value": "registry/a:2"}, {"what": "engine", "value": "POSTGRES_15"}]}

held(labels, folders) := {"what": "image", "value": "registry/a:2", "labels": labels, "folders": folders}

found(documents) := {finding |
	some finding in promotion.deny with input as [{"path": "a.yaml", "contents": document} | some document in documents]
}

test_refuses_what_development_never_had if {
	found([change(changed({"environment": "production"}, []), [])]) == {{
		"msg": "ModelService/a/b in production takes image registry/a:2, which development did not have before this change",
		"path": [0, "contents", "spec", "objects", "ModelService/a/b", "pins", 0],
	}}
}

test_refuses_what_only_production_had if {
	count(found([change(changed({"env": "Prod"}, []), [held({"env": "prod"}, [])])])) == 1
	count(found([change(changed({}, ["dist", "prod"]), [held({}, ["dist", "prod"])])])) == 1
}

test_bypass_by_another_value_and_another_kind if {
	count(found([change(changed({"env": "prod"}, []), [object.union(held({"env": "dev"}, []), {"value": "registry/a:1"})])])) == 1
	count(found([change(changed({"env": "prod"}, []), [object.union(held({"env": "dev"}, []), {"what": "chart"})])])) == 1
}

test_lets_what_development_had_pass if {
	found([change(changed({"environment": "production"}, []), [held({"environment": "dev"}, [])])]) == set()
	found([change(changed({}, ["dist", "prod"]), [held({}, ["dist", "staging"])])]) == set()
}

test_lets_other_environments_pass if {
	found([change(changed({"environment": "dev"}, []), [])]) == set()
	found([change(changed({}, ["dist"]), [])]) == set()
}

# A label that says development counts more than a folder named after production, and the other way round.
test_labels_count_before_folders if {
	found([change(changed({"environment": "dev"}, ["prod"]), [])]) == set()
	count(found([change(changed({"environment": "prod"}, ["dev"]), [])])) == 1
	count(found([change(changed({"environment": "prod"}, []), [held({"environment": "prod"}, ["dev"])])])) == 1
}

test_silent_about_documents if count(promotion.deny) == 0 with input as change(changed({"env": "prod"}, []), [])

test_speaks_about_kinds if promotion.kinds == {"Change"}
