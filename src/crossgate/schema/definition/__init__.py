"""CRDs and XRDs judged as definitions: whether the API server would serve what they define."""

from crossgate.schema.definition.judge import definition_faults, judge_definitions
from crossgate.schema.definition.update import judge_updates, update_faults

__all__ = ["definition_faults", "judge_definitions", "judge_updates", "update_faults"]
