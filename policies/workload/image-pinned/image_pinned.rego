# METADATA
# title: Images name a version
# description: >-
#   A container image, the image of a claim and a package of Crossplane are named by digest, or by a tag that stays
#   what it is: one with a number in it. No tag means "latest".
# related_resources:
# - https://kubernetes.io/docs/concepts/containers/images/
# custom:
#   severity: error
#   reason: IMAGE_NOT_PINNED
#   remediation: Name the image by digest (image@sha256:…) or by the tag of a release (image:1.4.2).
package crossgate.workload.image_pinned

import rego.v1

import data.crossgate.lib.images
import data.crossgate.lists.images as known

kinds := images.kinds

first_look := images.first_look

# A digest, or a tag that is nothing but a number.
known_good := concat("", [images.first_look, `[^"\\@]*(?:@sha256:[0-9a-f]{64}`, numbered, `)"`])

numbered := "" if {
	some tag in known.floating
	regex.match(`^v?[0-9]`, tag)
} else := `|:v?[0-9][0-9.]*`

deny contains {"msg": sprintf("image %v has no tag and no digest", [found[1]]), "path": found[0]} if {
	some found in images.all
	found[1] != ""
	found[3] == ""
	not digest(found[4])
}

deny contains {"msg": sprintf("tag %v of image %v moves", [found[3], found[1]]), "path": found[0]} if {
	some found in images.all
	found[3] != ""
	not digest(found[4])
	moves(lower(found[3]))
}

digest(text) if regex.match(`^sha256:[0-9a-f]{64}$`, text)

moves(tag) if tag in known.floating

# What has no number is no release: alpine, lts, mainline.
moves(tag) if not regex.match(`[0-9]`, tag)

# latest-slim and nightly-py3 move; main-20240101 stays, with what else is in it.
moves(tag) if {
	some part in regex.split(`[-._]`, tag)
	part in known.floating
	not stays(tag)
}

# By a whole version, a date or a commit, or (but for "latest") by the number of a build.
stays(tag) if regex.match(`(^|[-_])(v?[0-9]+[.][0-9]+[.][0-9]+[a-z0-9.]*|[0-9]{6,}|[0-9a-f]{7,40})([-_]|$)`, tag)

stays(tag) if {
	regex.match(`(^|[-_])[0-9]+([-_]|$)`, tag)
	not regex.match(`(^|[-._])latest([-._]|$)`, tag)
}
