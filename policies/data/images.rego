# Where container images come from, and which names of versions move.
package crossgate.lists.images

import rego.v1

# Registries and the parts of them that the platform trusts.
registries := [
	"registry.acme.com/",
	"xpkg.crossplane.io/crossplane-contrib/",
	"registry.k8s.io/",
	"docker.io/library/",
]

# Tags that are moved to another image from time to time.
floating := {
	"latest",
	"stable",
	"edge",
	"main",
	"master",
	"head",
	"trunk",
	"develop",
	"dev",
	"nightly",
	"canary",
	"current",
	"release",
	"prod",
	"production",
	"staging",
	"test",
	"snapshot",
}
