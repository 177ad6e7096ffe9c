"""Let known findings pass: waivers, each with a reason, an owner and an end, and a baseline of what was there before."""

from __future__ import annotations

from crossgate.waive.apply import Annotated, Settled, annotated, settle
from crossgate.waive.baseline import read_baseline, write_baseline
from crossgate.waive.waivers import Waiver, load_waivers

__all__ = [
    "Annotated",
    "Settled",
    "Waiver",
    "annotated",
    "load_waivers",
    "read_baseline",
    "settle",
    "write_baseline",
]
