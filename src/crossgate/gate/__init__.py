"""What keeps a pull request from judging itself: settings, policies and schemas of the base, and findings compared with the base's."""

from crossgate.gate.entry import Entry, entered
from crossgate.gate.known import divided

__all__ = ["Entry", "divided", "entered"]
