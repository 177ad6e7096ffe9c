# METADATA
# title: Charts and repositories of others have a version
# description: >-
#   A Helm chart is named with one version, and a Git repository with a branch, tag or commit.
# related_resources:
# - https://argo-cd.readthedocs.io/en/stable/user-guide/tracking_strategies/
# custom:
#   severity: error
#   reason: FLOATING_REVISION
#   remediation: Name one version of the chart, or the branch, tag or commit of the repository.
package crossgate.gitops.floating_revision

import rego.v1

import data.crossgate.lib.applications
import data.crossgate.lib.objects
import data.crossgate.lib.types

kinds := applications.kinds | {"Release", "HelmRelease"}

first_look := `"chart":\{|"sources?":[\[{]`

# A chart of a Release with one version.
known_good := `"chart":\{[^{}\\]*"version":"v?[0-9]+\.[0-9]+\.[0-9]+(?:[-+][0-9A-Za-z.+-]+)?"[^{}\\]*\}`

deny contains {"msg": sprintf("chart %v has %v", [source[1].chart, fault]), "path": array.concat(source[0], ["targetRevision"])} if {
	some source in applications.sources
	source[1].chart
	fault := floats(object.get(source[1], "targetRevision", ""))
}

deny contains {"msg": "the repository has no revision", "path": array.concat(source[0], ["targetRevision"])} if {
	some source in applications.sources
	not source[1].chart
	revision := object.get(source[1], "targetRevision", "")
	names_none(revision)
}

deny contains {"msg": sprintf("chart %v has %v", [object.get(chart, "name", ""), fault]), "path": array.concat(found[0], ["spec", "forProvider", "chart", "version"])} if {
	some found in objects.of({"Release"})
	chart := types.map(found[1].spec.forProvider.chart)
	not from_an_archive(chart)
	fault := floats(object.get(chart, "version", ""))
}

deny contains {"msg": sprintf("chart %v has %v", [object.get(chart, "chart", ""), fault]), "path": array.concat(found[0], ["spec", "chart", "spec", "version"])} if {
	some found in objects.of({"HelmRelease"})
	chart := types.map(found[1].spec.chart.spec)
	fault := floats(object.get(chart, "version", ""))
}

# An address of an archive names its version itself.
names_none(revision) if revision in {"", "HEAD", null}

# Argo CD takes the newest tag within a range: *, v1.*, ^1.2, >=1.0.0, 1.x.
names_none(revision) if regex.match(`[*^~<>=|,]|^v?[0-9]+(\.[0-9]+)?\.[xX]$`, types.text(revision))

from_an_archive(chart) if regex.match(`\.(tgz|tar\.gz)$`, types.text(chart.url))

floats(version) := "no version" if version in {"", null}

floats(version) := sprintf("the version %v, which is no text", [version]) if {
	not is_string(version)
	version != null
}

floats(version) := sprintf("the version %v, which is many", [version]) if {
	is_string(version)
	version != ""
	not regex.match(`^v?[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?$`, version)
}
