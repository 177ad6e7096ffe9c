"""Crossplane itself: its chart, the packages that the catalogue needs, and how providers sign in to their clouds."""

from .access import CLOUDS, credentials, provider_config, secret_store
from .charts import CHARTS, NAMESPACES, add_charts
from .packages import Packages

__all__ = [
    "CHARTS",
    "CLOUDS",
    "NAMESPACES",
    "Packages",
    "add_charts",
    "credentials",
    "provider_config",
    "secret_store",
]
