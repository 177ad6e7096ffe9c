"""Schemas of every kind that the platform uses, and validation exactly as the API server does it."""

from crossgate.schema.catalogue import Schemas
from crossgate.schema.problem import Problem, ProblemKind

__all__ = ["Problem", "ProblemKind", "Schemas"]
