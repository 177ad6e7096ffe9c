"""The plan as a comment on a pull request."""

from crossgate.report.markdown import plan_to_markdown as to_markdown

__all__ = ["to_markdown"]
