"""CRDs and XRDs judged as definitions: whether the API server would serve what they define."""

from crossgate.schema.definition.judge import definition_faults, judge_definitions

__all__ = ["definition_faults", "judge_definitions"]
