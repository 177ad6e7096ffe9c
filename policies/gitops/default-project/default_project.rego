# METADATA
# title: Applications have a project of their own
# description: >-
#   No Application or ApplicationSet is in the project "default", which allows everything everywhere.
# related_resources:
# - https://argo-cd.readthedocs.io/en/stable/user-guide/projects/#the-default-project
# custom:
#   severity: error
#   reason: DEFAULT_PROJECT
#   remediation: Name the platform's or the team's AppProject.
package crossgate.gitops.default_project

import rego.v1

import data.crossgate.lib.applications
import data.crossgate.lib.objects
import data.crossgate.lib.types

kinds := applications.kinds

deny contains {"msg": "the project \"default\" allows everything everywhere", "path": array.concat(found[0], ["project"])} if {
	some found in applications.specs
	object.get(found[1], "project", "default") in {"default", "", null}
}

# A generator of an ApplicationSet may bring a template, or the value for one.
deny contains {"msg": "the project \"default\" allows everything everywhere", "path": array.concat(found[0], array.concat(["spec", "generators"], path))} if {
	some found in objects.of({"ApplicationSet"})
	objects.in_group(found[1], "argoproj.io")
	walk(types.list(found[1].spec.generators), [path, value])
	path[count(path) - 1] == "project"
	value == "default"
}

# So may a patch, which is a text.
deny contains {"msg": "the project \"default\" allows everything everywhere", "path": array.concat(found[0], ["spec", "templatePatch"])} if {
	some found in objects.of({"ApplicationSet"})
	objects.in_group(found[1], "argoproj.io")
	regex.match(`(?m)["']?project["']?\s*:\s*["']?default["']?\s*([,}#]|$)`, types.text(found[1].spec.templatePatch))
}
