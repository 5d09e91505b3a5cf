"""Officials, attendance and weather.

Typed in, put right, refused by field, shown in book and exports.
"""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
import zipfile

import pytest
from flask.testing import FlaskClient
from sqlalchemy import func, select

from app.audit.models import AuditEntry
from app.core.db import db
from app.record import rebuild
from app.record.models import GameDetails
from scorer_console.games.details import read_details

TYPED = {
    "attendance": "71,008",
    "stadium": "Harbor Field",
    "weather": "54 F, cloudy",
    "started": "9:02",
    "referee": "A. Whistle",
    "umpire": " B. Flag ",
}


def audits() -> list[AuditEntry]:
    is_of_details = AuditEntry.act == "operations.game_details"
    return list(db.session.scalars(select(AuditEntry).where(is_of_details).order_by(AuditEntry.id)))


@pytest.fixture
def detailed_game(scorer: FlaskClient, game: str) -> str:
    answer = scorer.post(f"/console/{game}/details", data=TYPED)
    assert (answer.status_code, answer.headers["Location"]) == (
        303,
        f"/console/{game}/details?saved=1",
    )
    return game


def test_details_stand_in_the_form_the_book_and_every_export(
    scorer: FlaskClient, detailed_game: str
) -> None:
    page = scorer.get(f"/console/{detailed_game}/details?saved=1").text
    assert "Saved." in page
    for words in ("71,008", "Harbor Field", "09:02", "B. Flag"):
        assert f'value="{words}"' in page
    book = scorer.get(f"/games/{detailed_game}/book").text
    for label, words in (
        ("Attendance", "71,008"),
        ("Referee", "A. Whistle"),
        ("Weather", "54 F, cloudy"),
    ):
        assert f"<dt>{label}</dt><dd>{words}</dd>" in book
    box_score = scorer.get(f"/api/v1/games/{detailed_game}/box-score").json
    assert box_score is not None
    assert box_score["details"]["officials"] == {"Referee": "A. Whistle", "Umpire": "B. Flag"}
    assert (box_score["details"]["attendance"], box_score["details"]["started"]) == (71008, "09:02")
    everything = scorer.get(f"/games/{detailed_game}/export.json").json
    assert everything is not None
    assert everything["details"]["stadium"] == "Harbor Field"
    venue = ET.fromstring(scorer.get(f"/games/{detailed_game}/export.xml").data).find("venue")  # noqa: S314  (our own)
    assert venue is not None
    assert (venue.get("attend"), venue.get("start"), venue.get("end")) == ("71008", "09:02", None)
    with zipfile.ZipFile(
        io.BytesIO(scorer.get(f"/games/{detailed_game}/export.zip").data)
    ) as opened:
        (row,) = csv.DictReader(io.StringIO(opened.read("game.csv").decode()))
        assert (
            opened.read("officials.csv").decode()
            == "position,name\nReferee,A. Whistle\nUmpire,B. Flag\n"
        )
    assert (row["attendance"], row["stadium"], row["surface"]) == ("71008", "Harbor Field", "")


def test_details_are_put_right_and_the_audit_keeps_what_stood_there(
    scorer: FlaskClient, detailed_game: str
) -> None:
    assert scorer.post(f"/console/{detailed_game}/details", data=TYPED).status_code == 303
    assert len(audits()) == 1, "the same again changes nothing"
    assert (
        scorer.post(
            f"/console/{detailed_game}/details",
            data=TYPED | {"attendance": "", "umpire": "C. Flag"},
        ).status_code
        == 303
    )
    assert db.session.scalar(select(func.count()).select_from(GameDetails)) == 1
    assert audits()[1].details["attendance"] == {"before": 71008, "after": None}
    assert audits()[1].details["officials"]["after"] == {
        "referee": "A. Whistle",
        "umpire": "C. Flag",
    }
    assert "<dt>Attendance" not in scorer.get(f"/games/{detailed_game}/book").text


@pytest.mark.parametrize(
    ("field", "typed", "fault"),
    [
        (
            "attendance",
            "a lot",
            "Attendance: enter a whole number up to 1,000,000, like 71,008, or leave it blank.",
        ),
        ("attendance", "-5", "Attendance: enter a whole number"),
        ("attendance", "1000001", "Attendance: enter a whole number"),
        ("attendance", "٣", "Attendance: enter a whole number"),
        (
            "started",
            "25:00",
            "Kickoff: enter a 24-hour time, e.g. 13:02, or leave it blank.",
        ),
        ("ended", "noon", "End: enter a 24-hour time"),
        ("weather", "x" * 121, "Weather: use up to 120 characters"),
        ("referee", "x" * 81, "Referee: use up to 80 characters"),
        ("center_judge", "a\x07b", "Center judge: use up to 80 characters"),
    ],
)
def test_a_fault_names_its_field_and_what_to_do_and_nothing_is_stored(
    scorer: FlaskClient, game: str, field: str, typed: str, fault: str
) -> None:
    answer = scorer.post(f"/console/{game}/details", data=TYPED | {field: typed})
    assert answer.status_code == 422
    assert f'id="{field}-fault">{fault}' in answer.text
    assert 'value="Harbor Field"' in answer.text, "what was typed stays"
    assert db.session.scalar(select(func.count()).select_from(GameDetails)) == 0


def test_a_game_without_details_has_none_and_no_such_game_is_none(
    scorer: FlaskClient, game: str
) -> None:
    assert 'id="details-title"' not in scorer.get(f"/games/{game}/book").text
    assert scorer.get("/console/none/details").status_code == 404
    assert scorer.post("/console/none/details", data=TYPED).status_code == 404


def test_times_and_attendance_are_read_as_people_write_them() -> None:
    details = read_details({"attendance": "71 008", "started": "9:02", "ended": "12:15"})
    assert not isinstance(details, dict)
    assert (details.attendance, details.started, details.ended) == (71008, "09:02", "12:15")


def test_a_rebuild_does_not_touch_details() -> None:
    assert GameDetails not in rebuild.DERIVED
