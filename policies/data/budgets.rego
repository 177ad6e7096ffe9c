# What the claims of a team may cost in a month by list price, all of them together.
package crossgate.lists.budgets

import rego.v1

# The currency of all numbers here; that of policies/data/prices.yaml.
currency := "USD"

# What every team may spend, and what the platform grants to single teams.
monthly := 5000

granted := {
	"fraud": 8000,
	"ranking": 40000,
	"research": 40000,
	"speech": 40000,
	"vision": 18000,
}

# Which sum counts: "usual" is what the wanted sizes cost, "most" what they cost at the largest that autoscaling allows.
counts := "most"

# The annotation of a team's namespace with its own number, and whether that counts: "no", only when it is "lower", or "any".
annotation := "platform.acme.com/monthly-budget-usd"

overridable := "lower"
