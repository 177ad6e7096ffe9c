"""What can be known to be wrong with a Composition before any claim exists."""

from crossgate.static.check import check_composition

__all__ = ["check_composition"]
