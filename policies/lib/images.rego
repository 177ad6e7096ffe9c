# Every container image of a document, with its path: of containers of every kind (also those that Crossplane gives a
# provider), of volumes, of claims, and of the packages of Crossplane and their revisions; and how an image is written.
package crossgate.lib.images

import rego.v1

import data.crossgate.lib.objects
import data.crossgate.lib.pods
import data.crossgate.lib.types

kinds := (pods.kinds | {kind | some kind, _ in fields}) | {"ModelService", "XModelService", "DeploymentRuntimeConfig"}

# What the JSON text of an object with an image holds.
first_look := `"(?:image|package|reference)":"`

# Where packages and their revisions name their image.
fields := {
	"Provider": "package",
	"Function": "package",
	"Configuration": "package",
	"ProviderRevision": "image",
	"FunctionRevision": "image",
	"ConfigurationRevision": "image",
}

# [path, image, its address without tag and digest, tag, digest]; what it does not have is "".
all := [[found[0], found[1], match[1], match[2], match[3]] |
	some list in [of_containers, of_volumes, of_services, of_packages]
	some found in list
	some match in regex.find_all_string_submatch_n(`^([^@]*?)(?::([^:/@]*))?(?:@(.*))?$`, found[1], 1)
]

of_containers := [[array.concat(found[0], ["image"]), found[1].image] |
	some list in [pods.containers, pods.runtime_containers]
	some found in list
	is_string(found[1].image)
]

of_volumes := [[array.concat(pod[0], ["volumes", index, "image", "reference"]), volume.image.reference] |
	some pod in pods.specs
	some index, volume in types.list(pod[1].volumes)
	is_string(volume.image.reference)
]

of_services := [[array.concat(found[0], ["spec", "image"]), found[1].spec.image] |
	some found in objects.all
	found[1].kind in {"ModelService", "XModelService"}
	is_string(found[1].spec.image)
]

of_packages := [[array.concat(found[0], ["spec", field]), found[1].spec[field]] |
	some found in objects.all
	field := fields[found[1].kind]
	objects.in_group(found[1], "pkg.crossplane.io")
	is_string(found[1].spec[field])
]

# The full address: what has no registry comes from Docker Hub, what has no account there from its library.
full(address) := address if {
	regex.match(`^([^/]*[.:][^/]*|localhost)/`, address)
} else := concat("", ["docker.io/", address]) if {
	contains(address, "/")
} else := concat("", ["docker.io/library/", address])
