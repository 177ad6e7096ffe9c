# METADATA
# title: Images come from registries that the platform trusts
# description: >-
#   The address of an image begins with one of the places that the platform trusts. What names no registry comes from
#   Docker Hub, and what names no account there from its library of official images.
# related_resources:
# - https://kubernetes.io/docs/concepts/containers/images/#image-names
# custom:
#   severity: error
#   reason: IMAGE_REGISTRY_NOT_TRUSTED
#   remediation: Copy the image into the platform's registry, or ask the platform team to trust its source.
package crossgate.workload.image_registry

import rego.v1

import data.crossgate.lib.images
import data.crossgate.lib.objects
import data.crossgate.lib.types
import data.crossgate.lists.images as known

kinds := images.kinds | {"ImageConfig"}

first_look := concat("|", [images.first_look, `"rewriteImage":`])

# An address below one that is trusted, and no way up from there.
known_good := concat("", [images.first_look, `(?:`, concat("|", below), `)(?:\.?[^"\\.])*"`]) if count(below) > 0

below := [replace(registry, ".", `\.`) |
	some registry in known.registries
	regex.match(`^([a-zA-Z0-9-]*[.:][a-zA-Z0-9.:-]*|localhost)/([a-zA-Z0-9_/-]|[a-zA-Z0-9_-]\.[a-zA-Z0-9_-])*$`, registry)
]

deny contains {"msg": sprintf("image %v comes from %v, which is not trusted (trusted: %v)", [found[1], address, trusted_ones]), "path": found[0]} if {
	some found in images.all
	found[1] != ""
	address := images.full(found[2])
	not trusted(address)
}

# It takes packages from another place than they name.
deny contains {"msg": sprintf("packages come from %v, which is not trusted (trusted: %v)", [prefix, trusted_ones]), "path": array.concat(found[0], ["spec", "rewriteImage", "prefix"])} if {
	some found in objects.of({"ImageConfig"})
	prefix := types.text(found[1].spec.rewriteImage.prefix)
	not trusted(prefix)
}

trusted_ones := concat(", ", sort([registry | some registry in known.registries]))

trusted(address) if {
	strings.any_prefix_match(address, known.registries)
	not contains(address, "/../")
}
