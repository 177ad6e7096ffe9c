package crossgate.cost.team_budget_test

import rego.v1

import data.crossgate.cost.team_budget

limits := {"currency": "USD", "monthly": 1000, "granted": {"large": 5000}, "counts": "most", "annotation": "budget", "overridable": "lower"}

report(teams) := {"kind": "CostReport", "spec": {"currency": "USD", "teams": teams}}

team(usual, most) := {"monthly": {"usual": usual, "most": most}, "unpriced": []}

namespace(name, budget) := {"kind": "Namespace", "metadata": {"name": name, "annotations": {"budget": budget}}}

found_within(documents, given) := {finding |
	some finding in team_budget.deny with input as [{"path": "a.yaml", "contents": document} | some document in documents] with data.crossgate.lists.budgets as given
}

found(documents) := found_within(documents, limits)

teams(documents, given) := {finding.path[4] | some finding in found_within(documents, given)}

test_refuses_a_team_over_its_budget if {
	found([report({"fraud": team(10, 1000.01), "vision": team(10, 1000)})]) == {{
		"msg": "the claims of team fraud cost 1000.01 USD a month at their largest, its budget is 1000",
		"path": [0, "contents", "spec", "teams", "fraud", "monthly", "most"],
		"reason": "BUDGET_EXCEEDED",
	}}
}

test_the_platform_grants_more_to_single_teams if {
	teams([report({"large": team(1, 5000)})], limits) == set()
	teams([report({"large": team(1, 5001)})], limits) == {"large"}
}

test_the_platform_says_which_sum_counts if {
	usual := object.union(limits, {"counts": "usual"})
	teams([report({"fraud": team(1000, 9000)})], usual) == set()
	teams([report({"fraud": team(1001, 9000)})], usual) == {"fraud"}
}

test_a_team_may_lower_its_budget_and_not_raise_it if {
	teams([report({"fraud": team(1, 501)}), namespace("ml-team-fraud", "500")], limits) == {"fraud"}
	teams([report({"fraud": team(1, 1001)}), namespace("ml-team-fraud", "99999")], limits) == {"fraud"}
	teams([report({"fraud": team(1, 501)}), namespace("ml-team-vision", "500")], limits) == set()
}

# The larger of two numbers must not win.
test_bypass_by_two_namespaces_of_one_name if {
	teams([report({"fraud": team(1, 501)}), namespace("ml-team-fraud", "900"), namespace("ml-team-fraud", "500")], limits) == {"fraud"}
}

test_what_is_no_number_is_no_budget if {
	every text in ["", "1e99", "-1", "0x10", "many", "999999999999999"] {
		teams([report({"fraud": team(1, 1001)}), namespace("ml-team-fraud", text)], object.union(limits, {"overridable": "any"})) == {"fraud"}
	}
}

test_the_platform_says_whether_a_team_may if {
	raised := object.union(limits, {"overridable": "any"})
	fixed := object.union(limits, {"overridable": "no"})
	teams([report({"fraud": team(1, 1001)}), namespace("ml-team-fraud", "2000")], raised) == set()
	teams([report({"fraud": team(1, 501)}), namespace("ml-team-fraud", "500")], fixed) == set()
}

# An old fault that grows is a new one; one that shrinks is not.
test_what_was_over_the_budget_and_grows_is_told_apart if {
	reasons([[3000, 2000], [2000, 3000], [2000, 2000], [2000, 900]]) == ["BUDGET_EXCEEDED_FURTHER", "BUDGET_EXCEEDED", "BUDGET_EXCEEDED", "BUDGET_EXCEEDED"]
}

reasons(pairs) := [finding.reason |
	some pair in pairs
	some finding in found([report({"fraud": object.union(team(1, pair[0]), {"before": {"monthly": {"usual": 1, "most": pair[1]}}})})])
]

test_says_that_something_has_no_price if {
	some finding in found([report({"fraud": object.union(team(1, 2000), {"unpriced": ["a", "b"]})})])
	endswith(finding.msg, "its budget is 1000, and 2 more things have no price")
}

test_refuses_other_currencies if {
	{finding.reason | some finding in found([{"kind": "CostReport", "spec": {"currency": "EUR", "teams": {"fraud": team(1, 9999)}}}])} == {"BUDGET_CURRENCY"}
}

test_lets_pass if found([report({"fraud": {"monthly": {}, "unpriced": ["a"]}, "vision": {"unpriced": ["a"]}})]) == set()

test_silent_about_documents if count(team_budget.deny) == 0 with input as report({"fraud": team(1, 99999)})

test_speaks_about_kinds if team_budget.kinds == {"CostReport", "Namespace"}
