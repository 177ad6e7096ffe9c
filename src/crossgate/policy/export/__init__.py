"""Write rules as what enforces them at admission: Gatekeeper's templates, and ValidatingAdmissionPolicies.

What a pull request was refused for, the cluster then refuses too. A rule that cannot be enforced there is named with the reason.
"""

from __future__ import annotations

from crossgate.policy.export.gatekeeper import export_gatekeeper
from crossgate.policy.export.model import Exemption, Export, Options, Refusal
from crossgate.policy.export.vap import export_vap

__all__ = ["Exemption", "Export", "Options", "Refusal", "export_gatekeeper", "export_vap"]
