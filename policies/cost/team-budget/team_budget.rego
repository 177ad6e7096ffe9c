# METADATA
# title: What a team claims stays within its budget
# description: >-
#   The claims of a team cost no more in a month, all together and by list prices, than the platform grants; a team's own
#   number counts where the platform allows it.
# related_resources:
# - https://www.finops.org/framework/capabilities/budgeting/
# custom:
#   severity: error
#   reason: BUDGET_EXCEEDED
#   input: estate
#   remediation: Ask for smaller sizes or fewer nodes (crossgate cost --by claim shows what costs), or ask the platform team for a larger budget.
#   reasons:
#     BUDGET_EXCEEDED_FURTHER:
#       remediation: The team was over its budget before. Take as much away as this adds, or ask the platform team for a larger budget.
#     BUDGET_CURRENCY:
#       remediation: Write policies/data/budgets.rego in the currency of policies/data/prices.yaml.
package crossgate.cost.team_budget

import rego.v1

import data.crossgate.lib.estate
import data.crossgate.lib.types
import data.crossgate.lists.budgets

kinds := {"CostReport", "Namespace"}

looks_at := {["spec", "currency"], ["spec", "teams"], ["metadata", "annotations"]}

deny contains {"msg": sprintf("the claims of team %v cost %v %v a month%v, its budget is %v%v", [name, total, budgets.currency, words[budgets.counts], limit, unpriced(team)]), "path": estate.path(report[0], ["spec", "teams", name, "monthly", budgets.counts]), "reason": reason(team, total, limit)} if {
	some report in estate.of({"CostReport"})
	report[1].spec.currency == budgets.currency
	some name, team in types.map(report[1].spec.teams)
	total := types.number(team.monthly[budgets.counts])
	limit := budget(name)
	total > limit
}

deny contains {"msg": sprintf("prices are in %v and budgets in %v", [report[1].spec.currency, budgets.currency]), "path": estate.path(report[0], ["spec", "currency"]), "reason": "BUDGET_CURRENCY"} if {
	some report in estate.of({"CostReport"})
	report[1].spec.currency != budgets.currency
}

words := {"usual": "", "most": " at their largest"}

# What was over the budget before and costs more now is a finding of its own: it is not known from the base.
reason(team, total, limit) := "BUDGET_EXCEEDED_FURTHER" if {
	before := types.number(team.before.monthly[budgets.counts])
	before > limit
	total > before
} else := "BUDGET_EXCEEDED"

unpriced(team) := sprintf(", and %v more things have no price", [count(team.unpriced)]) if {
	count(types.list(team.unpriced)) > 0
} else := ""

# The platform's number, or the team's own where that is allowed.
budget(name) := number if {
	number := own[name]
	allowed(name, number)
} else := platform(name)

platform(name) := object.get(budgets.granted, name, budgets.monthly)

allowed(_, _) if budgets.overridable == "any"

allowed(name, number) if {
	budgets.overridable == "lower"
	number < platform(name)
}

# Of two namespaces of one name, which are a fault of their own, the smaller number counts.
own[name] := min(numbers) if some name, numbers in written

written[name] contains number if {
	some space in estate.of({"Namespace"})
	text := types.text(space[1].metadata.annotations[budgets.annotation])
	regex.match(`^[0-9]{1,12}(\.[0-9]{1,2})?$`, text)
	number := to_number(text)
	name := trim_prefix(types.text(space[1].metadata.name), "ml-team-")
}
