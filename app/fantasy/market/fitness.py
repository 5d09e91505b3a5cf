"""Derives players' status and news on the market from roster, injury report and moderators' notes.

A club's newest injury report counts until its next one. It says nothing new about players whom the
roster has on injured reserve, as suspended or as no longer with the club. A moderator's note stands
until roster or report say something new (player_notes.py). Only the caller commits.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import ARRAY, String, bindparam, text

from app.core.db import db
from app.fantasy.market.player_notes import with_notes
from app.fantasy.market.statuses import AVAILABLE, LEFT

LONGEST_NEWS = 200
_REPORTED = {"Questionable": "questionable", "Doubtful": "doubtful", "Out": "out"}
_STRONGER = ("injured", "suspended", LEFT)  # statuses of a roster that no report changes
_PRACTICE = {
    "Did Not Participate In Practice": "did not practice",
    "Limited Participation in Practice": "limited in practice",
    "Full Participation in Practice": "full practice",
}


@dataclass(frozen=True)
class StatusChanges:
    """How many statuses changed, and how many of these footballers left the market."""

    changed: int
    left: int


@dataclass(frozen=True)
class Report:
    """What the current injury report of a club says about a footballer (models.InjuryReport)."""

    status: str | None
    injury: str
    practice: str
    practice_injury: str


def market_word(roster: tuple[str, str], report: Report | None) -> tuple[str, str]:
    """Return status and news of the market by those of the roster and the injury report.

    >>> market_word(("available", ""), Report("Out", "Knee", "", ""))
    ('out', 'Out: Knee')
    >>> limited = "Limited Participation in Practice"
    >>> market_word(("available", ""), Report("Questionable", "Knee", limited, "Knee"))
    ('questionable', 'Questionable: Knee, limited in practice')
    >>> market_word(("available", ""), Report(None, "", limited, "Ankle"))
    ('available', 'Ankle, limited in practice')
    >>> market_word(("injured", "Injured reserve"), Report("Out", "Knee", "", ""))
    ('injured', 'Injured reserve')
    """
    if report is None or roster[0] in _STRONGER:
        return roster
    practice = _PRACTICE.get(report.practice, "")
    status = _REPORTED.get(report.status or "")
    if status is None and practice in ("", "full practice"):
        return roster
    details = ", ".join(filter(None, (report.injury or report.practice_injury, practice)))
    if status is None:
        return roster if roster[0] != AVAILABLE else (roster[0], details[:LONGEST_NEWS])
    news = f"{report.status}: {details}" if details else str(report.status)
    return status, news[:LONGEST_NEWS]


_ROSTER_WORDS = text("""
    SELECT footballer_id, roster_status, roster_news FROM footballer_seasons
    WHERE season_id = :season AND (:everybody OR footballer_id = ANY(:ids))
""").bindparams(bindparam("ids", type_=ARRAY(String)))
_REPORTS = text("""
    SELECT r.footballer_id, r.report_status, r.injury, r.practice_status, r.practice_injury
    FROM injury_reports r
    JOIN (SELECT club_id, max(week) AS week FROM injury_reports WHERE season_id = :season
      GROUP BY club_id) AS latest ON (latest.club_id, latest.week) = (r.club_id, r.week)
    WHERE r.season_id = :season
    ORDER BY r.week
""")
_UPDATE = text("""
    UPDATE footballer_seasons f SET status = listed.status, news = listed.news
    FROM (
      SELECT b.season_id, b.footballer_id, b.status AS status_before, t.status, t.news
      FROM unnest(CAST(:ids AS text[]), CAST(:statuses AS text[]), CAST(:news AS text[])) AS t (id,
        status, news)
      JOIN footballer_seasons b ON b.footballer_id = t.id AND b.season_id = :season
      WHERE (b.status, b.news) <> (t.status, t.news)
    ) AS listed
    WHERE (f.season_id, f.footballer_id) = (listed.season_id, listed.footballer_id)
    RETURNING listed.status_before, listed.status
""")


def refresh_statuses(season_id: int, ids: Collection[str] | None = None) -> StatusChanges:
    """Bring status and news of these footballers of the season's market up to date.

    Args:
        season_id: The season.
        ids: The footballers; None for everybody on the market.
    """
    chosen = {"season": season_id, "everybody": ids is None, "ids": sorted(ids or ())}
    reports = _current_reports(season_id)
    words = {
        footballer: market_word((status, news), reports.get(footballer))
        for footballer, status, news in db.session.execute(_ROSTER_WORDS, chosen)
    }
    words = with_notes(season_id, words)
    changed = db.session.execute(
        _UPDATE,
        {
            "season": season_id,
            "ids": list(words),
            "statuses": [status for status, _ in words.values()],
            "news": [news for _, news in words.values()],
        },
    ).all()
    return StatusChanges(
        sum(old != new for old, new in changed),
        sum(old != LEFT and new == LEFT for old, new in changed),
    )


def _current_reports(season_id: int) -> Mapping[str, Report]:
    rows = db.session.execute(_REPORTS, {"season": season_id})
    return {footballer: Report(*report) for footballer, *report in rows}
