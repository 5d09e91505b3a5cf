"""Moments on pages: `<time>` in UTC, which times.js rewrites into the viewer's time zone.

The page names the zone once, at its foot. Deadlines in notices and refusals are read outside of the
page and name their league's zone, so they do not use this module.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from flask import Flask
from markupsafe import Markup

from app.core import clock

# Must match static/js/times.js.
STYLES = {
    "moment": "{0:%a} {0.day} {0:%b}, {0:%H:%M}",
    "year": "{0:%a} {0.day} {0:%b} {0.year}, {0:%H:%M}",
    "weekday": "{0:%a} {0:%H:%M}",  # if the moment is not near, `moment` is used
    "clock": "{0:%H:%M}",
    "day": "{0:%a} {0.day} {0:%b}",
}


NEAR = timedelta(days=6)  # beyond that a weekday alone would be ambiguous


def when(at: datetime, style: str = "moment") -> Markup:
    """The moment, to the minute. `style` is one of STYLES.

    >>> at = datetime(2026, 9, 6, 19, 5, tzinfo=UTC)
    >>> [words.format(at) for words in STYLES.values()]
    ['Sun 6 Sep, 19:05', 'Sun 6 Sep 2026, 19:05', 'Sun 19:05', '19:05', 'Sun 6 Sep']
    >>> [is_near(at, datetime(2026, 8, 31, hour, tzinfo=UTC)) for hour in (20, 19)]
    [True, False]
    """
    style_used = "moment" if style == "weekday" and not is_near(at, clock.now()) else style
    there = at.astimezone(UTC)
    words = STYLES[style_used].format(there)
    return Markup('<time datetime="{}" data-style="{}">{}</time>').format(
        there.isoformat(), style, words
    )


def is_near(at: datetime, now: datetime) -> bool:
    """Whether a weekday identifies the day: from half a day ago until six days ahead."""
    return now - timedelta(hours=12) <= at < now + NEAR


def init_app(app: Flask) -> None:
    """Register the filter `when`."""
    app.add_template_filter(when, "when")
