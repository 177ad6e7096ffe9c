# Every container image of a document, with its path: of containers of every kind, of claims, and of the packages of
# Crossplane; and how an image is written.
package crossgate.lib.images

import rego.v1

import data.crossgate.lib.objects
import data.crossgate.lib.pods

kinds := (pods.kinds | packages) | {"ModelService", "XModelService"}

packages := {"Provider", "Function", "Configuration"}

# [path, image]
all := array.concat(array.concat(of_containers, of_services), of_packages)

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

# An image without its digest.
undigested(image) := split(image, "@")[0]

has_digest(image) if regex.match(`@sha256:[0-9a-f]{64}$`, image)

# The last part of the address: name and tag. A port of the registry is no tag.
last_part(image) := parts[count(parts) - 1] if parts := split(undigested(image), "/")

tag(image) := parts[1] if {
	parts := split(last_part(image), ":")
	count(parts) == 2
}

# The full address: what has no registry comes from Docker Hub, what has no account there from its library.
address(image) := undigested(image) if has_registry(image)

address(image) := concat("", ["docker.io/", undigested(image)]) if {
	not has_registry(image)
	contains(image, "/")
}

address(image) := concat("", ["docker.io/library/", undigested(image)]) if not contains(image, "/")

has_registry(image) if {
	contains(image, "/")
	regex.match(`[.:]|^localhost$`, split(image, "/")[0])
}
