"""Rules in Rego: read, compiled and run on every resource.

``Policies.load`` reads policy folders; ``judge`` says what they find. The rule form, the engines and what is
refused are described in the modules: ``rules`` (METADATA), ``results`` (findings), ``embedded`` (the engine),
``isolate`` (limits).
"""

from __future__ import annotations

from crossgate.policy.isolate import Limits
from crossgate.policy.policies import Policies
from crossgate.policy.rules import Rule

__all__ = ["Limits", "Policies", "Rule"]
