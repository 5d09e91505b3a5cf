"""Details of a game besides its plays: officials, attendance, weather. The form and saving it.

Pages read them through app/record/queries.py. Why they are not events:
docs/decisions/0051-details-of-a-game.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from flask_wtf import FlaskForm
from wtforms import StringField

from app.audit import log as audit
from app.audit.acts import Act
from app.core.db import db, upsert
from app.record.models import GameDetails
from app.record.words import OFFICIALS

LONGEST_NAME = 80
LONGEST_TEXT = 120
MOST_PEOPLE = 1_000_000
_TIME = re.compile(r"([01]?\d|2[0-3]):[0-5]\d")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DIGITS = re.compile(r"[0-9]{1,8}")
_GROUPS = re.compile(r"[ ,.'\u2019\u00a0\u202f]")  # separators between the digits of 71,008


class DetailsForm(FlaskForm):
    """The form of the details. Every field may stay empty."""

    attendance = StringField("Attendance", description="A whole number, e.g. 71,008")
    stadium = StringField("Stadium", description="With its city, e.g. Lambeau Field, Green Bay")
    surface = StringField("Surface", description="Grass, FieldTurf, ...")
    weather = StringField("Weather", description="E.g. 54 F, cloudy, wind NW 8 mph, or Dome")
    started = StringField("Kickoff (local time)", render_kw={"type": "time"})
    ended = StringField("End (local time)", render_kw={"type": "time"})
    referee = StringField(OFFICIALS["referee"])
    umpire = StringField(OFFICIALS["umpire"])
    down_judge = StringField(OFFICIALS["down_judge"])
    line_judge = StringField(OFFICIALS["line_judge"])
    field_judge = StringField(OFFICIALS["field_judge"])
    side_judge = StringField(OFFICIALS["side_judge"])
    back_judge = StringField(OFFICIALS["back_judge"])
    center_judge = StringField(OFFICIALS["center_judge"])
    replay_official = StringField(OFFICIALS["replay_official"])


@dataclass(frozen=True)
class Details:
    """The stored details of a game.

    `officials` are names by key of words.OFFICIALS, without unknown ones.
    """

    officials: dict[str, str]
    attendance: int | None
    stadium: str
    surface: str
    weather: str
    started: str
    ended: str


def read_details(typed: Mapping[str, str]) -> Details | dict[str, str]:
    """Return the details in the form, or what to change, one sentence per field.

    >>> read_details({"attendance": "many"})["attendance"]
    'Attendance: enter a whole number up to 1,000,000, like 71,008, or leave it blank.'
    """
    plain = {name: words.strip() for name, words in typed.items()}
    faults = {}
    counted = _GROUPS.sub("", plain.get("attendance", ""))
    if counted and not (_DIGITS.fullmatch(counted) and int(counted) <= MOST_PEOPLE):
        faults["attendance"] = (
            f"Attendance: enter a whole number up to {MOST_PEOPLE:,}, like 71,008, or leave it "
            "blank."
        )
    for name, label, longest in _TEXTS:
        words = plain.get(name, "")
        if len(words) > longest or _CONTROL.search(words):
            faults[name] = (
                f"{label}: use up to {longest} characters on one line, or leave it blank."
            )
    for name, label in (("started", "Kickoff"), ("ended", "End")):
        if plain.get(name) and not _TIME.fullmatch(plain[name]):
            faults[name] = f"{label}: enter a 24-hour time, e.g. 13:02, or leave it blank."
    if faults:
        return faults
    return Details(
        officials={name: plain[name] for name in OFFICIALS if plain.get(name)},
        attendance=int(counted) if counted else None,
        **{name: plain.get(name, "") for name in ("stadium", "surface", "weather")},
        **{name: plain[name].zfill(5) if plain.get(name) else "" for name in ("started", "ended")},
    )


_TEXTS = (
    *((name, name.capitalize(), LONGEST_TEXT) for name in ("stadium", "surface", "weather")),
    *((name, label, LONGEST_NAME) for name, label in OFFICIALS.items()),
)


def stored(game_id: str) -> Details:
    """Load the details of the game. Fields that nobody has entered are empty."""
    row = db.session.get(GameDetails, game_id)
    if row is None:
        return Details({}, None, "", "", "", "", "")
    return Details(
        dict(row.officials),
        row.attendance,
        row.stadium,
        row.surface,
        row.weather,
        row.started,
        row.ended,
    )


def as_typed(details: Details) -> dict[str, str]:
    """Return the values of the form's fields for these details."""
    plain = {
        name: words
        for name, words in asdict(details).items()
        if name not in ("officials", "attendance")
    }
    attended = "" if details.attendance is None else f"{details.attendance:,}"
    return plain | details.officials | {"attendance": attended}


def save(game_id: str, details: Details, actor_id: int) -> None:
    """Replace the stored details; the audit keeps both versions. Commits.

    Saving the same again changes nothing. If two people save at the same time, the later version
    stands as a whole.
    """
    before, after = asdict(stored(game_id)), asdict(details)
    changes: dict[str, Any] = {
        name: {"before": before[name], "after": after[name]}
        for name in after
        if before[name] != after[name]
    }
    if not changes:
        return
    upsert(GameDetails, ["game_id"], [{"game_id": game_id} | after])
    audit.record(Act.GAME_DETAILS, actor_id=actor_id, subject=f"game:{game_id}", details=changes)
    db.session.commit()
