"""The plan as one page of HTML."""

from crossgate.report.html import plan_to_html as to_html

__all__ = ["to_html"]
