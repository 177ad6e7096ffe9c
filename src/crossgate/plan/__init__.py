"""The plan: what a merge would change, down to the fields of composed resources, and what of it is dangerous."""

from crossgate.plan.make import plan
from crossgate.plan.model import Action, ClaimChange, Danger, FieldChange, Mark, Plan, ResourceChange

__all__ = ["Action", "ClaimChange", "Danger", "FieldChange", "Mark", "Plan", "ResourceChange", "plan"]
