# How many GPUs a team may ask for at once, all its claims together.
package crossgate.lists.quotas

import rego.v1

# What every team may have.
gpus := 16

# Whether a team's own number counts: "no", only when it is "lower", or "any".
overridable := "lower"

teams := {"vision": {"gpus": 12}}

# GPUs in one node of a machine type.
gpus_of := {
	"g4dn.xlarge": 1,
	"p3.2xlarge": 1,
	"p4d.24xlarge": 8,
}

# Nodes that a claim takes at most when it does not say so.
claim_nodes := {
	"GPUClusterClaim": 10,
	"MLPlatformClaim": 10,
}
