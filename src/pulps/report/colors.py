"""One color per meaning, on the page and in every picture; the page has lighter ones at night."""

from __future__ import annotations

POSITIVE, NEGATIVE = "#c2540a", "#1f6fa8"
NEUTRAL = "#5b6470"
LABELED, UNLABELED = "#e39a3b", "#98a4b3"
