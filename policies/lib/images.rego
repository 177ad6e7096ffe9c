# Every container image of a document, with its path: of containers of every kind, of claims, and of the packages of
# Crossplane; and how an image is written.
package crossgate.lib.images

import rego.v1

import data.crossgate.lib.objects
import data.crossgate.lib.pods

kinds := (pods.kinds | packages) | {"ModelService", "XModelService"}

# What the JSON text of an object with an image holds.
first_look := `"(?:image|package)":"`

packages := {"Provider", "Function", "Configuration"}

# [path, image, its address without tag and digest, tag, digest]; what it does not have is "".
all := [[found[0], found[1], match[1], match[2], match[3]] |
	some found in array.concat(array.concat(of_containers, of_services), of_packages)
	some match in regex.find_all_string_submatch_n(`^([^@]*?)(?::([^:/@]*))?(?:@(.*))?$`, found[1], 1)
]

of_containers := [[array.concat(found[0], ["image"]), found[1].image] |
	some found in pods.containers
	is_string(found[1].image)
]

of_services := [[array.concat(found[0], ["spec", "image"]), found[1].spec.image] |
	some found in objects.of({"ModelService", "XModelService"})
	is_string(found[1].spec.image)
]

of_packages := [[array.concat(found[0], ["spec", "package"]), found[1].spec["package"]] |
	some found in objects.of(packages)
	objects.in_group(found[1], "pkg.crossplane.io")
	is_string(found[1].spec["package"])
]

# The full address: what has no registry comes from Docker Hub, what has no account there from its library.
full(address) := address if regex.match(`^([^/]*[.:][^/]*|localhost)/`, address)

full(address) := concat("", ["docker.io/", address]) if {
	contains(address, "/")
	not regex.match(`^([^/]*[.:][^/]*|localhost)/`, address)
}

full(address) := concat("", ["docker.io/library/", address]) if not contains(address, "/")
