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

kinds := applications.kinds

deny contains {"msg": "the project \"default\" allows everything everywhere", "path": array.concat(found[0], ["project"])} if {
	some found in applications.specs
	object.get(found[1], "project", "default") in {"default", ""}
}
