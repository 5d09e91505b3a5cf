"""Moments as pages show them: `<time>` with the moment in UTC, which times.js rewrites into the viewer's own zone.

The zone is said once, at the foot of the page: UTC, or where the script runs the viewer's. Not here: deadlines in words
for notices and refusals, which are read elsewhere and name their league's zone.
"""

from __future__ import annotations

from datetime import UTC, datetime

from flask import Flask
from markupsafe import Markup

# static/js/times.js writes the same ones.
STYLES = {
    "moment": "{0:%a} {0.day} {0:%b}, {0:%H:%M}",
    "year": "{0:%a} {0.day} {0:%b} {0.year}, {0:%H:%M}",
    "weekday": "{0:%a} {0:%H:%M}",
    "clock": "{0:%H:%M}",
}


def when(at: datetime, style: str = "moment") -> Markup:
    """The moment, to the minute. `style`: one of STYLES.

    >>> at = datetime(2026, 9, 6, 19, 5, tzinfo=UTC)
    >>> [words.format(at) for words in STYLES.values()]
    ['Sun 6 Sep, 19:05', 'Sun 6 Sep 2026, 19:05', 'Sun 19:05', '19:05']
    """
    there = at.astimezone(UTC)
    words = STYLES[style].format(there)
    return Markup('<time datetime="{}" data-style="{}">{}</time>').format(there.isoformat(), style, words)


def init_app(app: Flask) -> None:
    app.add_template_filter(when, "when")
