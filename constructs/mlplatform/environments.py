"""What an installation of the platform must know of its clouds; ``apps/platform.py`` gives the values."""

from __future__ import annotations

from mlplatform.core import Environment, Model


class GcpEnvironment(Model):
    """A Google Cloud project that holds the platform's resources."""

    project: str
    """Id of the project."""


GCP = Environment("platform-gcp", "gcp", GcpEnvironment)
