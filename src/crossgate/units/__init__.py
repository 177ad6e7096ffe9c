"""Units: one author's object with everything that it makes. Each is judged by itself, so that its verdict can be kept and shared out."""

from __future__ import annotations
