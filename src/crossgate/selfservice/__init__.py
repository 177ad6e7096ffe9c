"""Self-service: start a claim or a team without knowing how the platform is written.

Claims are asked for from the APIs in ``dist/``, so this needs neither cdk8s nor the project's Python.
"""

from .apis import ClaimApi, find_api, find_apis
from .claim import claim_text
from .fields import Field, fields
from .place import claim_file, team_namespace, teams
from .team import new_team

__all__ = [
    "ClaimApi",
    "Field",
    "claim_file",
    "claim_text",
    "fields",
    "find_api",
    "find_apis",
    "new_team",
    "team_namespace",
    "teams",
]
