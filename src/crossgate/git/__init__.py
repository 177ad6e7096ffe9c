"""Read a commit out of git's objects: nothing is checked out, and nothing that a repository brings along is run."""

from crossgate.git.commit import Commit
from crossgate.git.tree import Entry, Tree

__all__ = ["Commit", "Entry", "Tree"]
