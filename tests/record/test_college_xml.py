"""The XML of college statistics software.

Well formed, adds up, and has no attribute that nobody has shown.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from flask.testing import FlaskClient

from app.core.db import db
from app.record import events as ev
from app.record.models import Footballer
from app.stream.messages import Message
from app.stream.models import OutboxMessage
from app.stream.topics import GAME_EVENTS
from tests.worlds.entered_game import enter_simulated, take_in
from tests.worlds.games import NOW, ingest, make_game, messages, touchdown_drive

# Elements and attributes that a file of TAS Football, a public checker and a public importer of
# such files have.
SHOWN = {
    "fbgame": "source version generated",
    "venue": (
        "gameid visid homeid visname homename date location stadium start end attend temp wind "
        "weather"
    ),
    "rules": "qtrs mins downs yds kospot tbspot kotbspot patspot safspot td fg pat patx saf defpat "
    "field toh sackrush"
    " fgaplay netpunttb",
    "team": "vh code id name record abb rank",
    "linescore": "prds line score",
    "lineprd": "prd score",
    "totals": "totoff_plays totoff_yards totoff_avg",
    "firstdowns": "no rush pass penalty",
    "conversions": "thirdconv thirdatt fourthconv fourthatt",
    "misc": "yds top ona onm ptsto",
    "redzone": (
        "att scores points tdrush tdpass fgmade endfga enddowns endint endfumb endhalf endgame"
    ),
    "rush": "att yds gain loss td long",
    "pass": "comp att int yds td long sacks sackyds",
    "rcv": "no yds td long",
    "punt": "no yds long avg blkd tb fc plus50 inside20",
    "fg": "made att long blkd",
    "pat": "kickatt kickmade passatt passmade",
    "defense": "tackua tacka tot_tack tflua tfla tflyds sacks sackyds sackua sacka brup ff fr "
    "fryds int"
    " intyds qbh blkd",
    "kr": "no yds td long",
    "pr": "no yds td long",
    "ir": "no yds td long",
    "fumbles": "no lost",
    "player": "name shortname checkname uni class gp gs code",
    "scores": "",
    "score": "vh team qtr clock type how yds scorer passer plays drive top vscore hscore "
    "driveindex "
    "patby pattype"
    " patres",
    "drives": "",
    "drive": "vh team start end plays yards top start_how start_qtr start_time start_spot end_how "
    "end_qtr end_time"
    " end_spot rz driveindex",
    "plays": "format",
    "qtr": "number text",
    "play": "hasball down togo spot context playid type first turnover score vscore hscore clock "
    "tokens text"
    " newcontext",
}


def document(client: FlaskClient, at: str = "") -> ET.Element:
    response = client.get(f"/games/g1/export.xml{at}")
    assert response.status_code == 200
    assert response.mimetype == "application/xml"
    return ET.fromstring(response.data)  # noqa: S314  (our own document)


def test_a_drive_stands_in_the_xml_with_score_totals_players_and_plays(client: FlaskClient) -> None:
    make_game()
    ingest(messages(touchdown_drive()))
    root = document(client)
    visitor, home = root.findall("team")
    assert (visitor.get("vh"), visitor.get("id"), home.get("vh"), home.get("id")) == (
        "V",
        "SUM",
        "H",
        "HRB",
    )
    assert home.find("linescore").attrib == {"prds": "4", "line": "7,0,0,0", "score": "7"}  # type: ignore[union-attr]
    assert home.find("totals").attrib == {  # type: ignore[union-attr]
        "totoff_plays": "2",
        "totoff_yards": "75",
        "totoff_avg": "37.5",
    }
    assert home.find("totals/pass").get("yds") == "65"  # type: ignore[union-attr]
    players = {player.get("name"): player for player in home.findall("player")}
    assert players["H. Player3"].find("rush").attrib == {  # type: ignore[union-attr]
        "att": "1",
        "yds": "10",
        "td": "0",
        "long": "10",
    }
    assert players["H. Player3"].get("uni") == "3"
    (score,) = root.findall("scores/score")
    assert (score.get("type"), score.get("how"), score.get("hscore")) == ("TD", "PASS", "7")
    (drive,) = root.findall("drives/drive")
    assert (drive.get("plays"), drive.get("yards"), drive.get("start_spot")) == ("2", "75", "HRB25")
    assert [play.get("spot") for play in root.findall("plays/qtr/play")] == [
        "SUM35",
        "HRB25",
        "HRB35",
        "SUM15",
    ]
    assert document(client, "?at=6").findall("scores/score") == []


def test_a_whole_game_has_nothing_that_nobody_has_shown_and_carries_any_name(
    client: FlaskClient,
) -> None:
    enter_simulated("g1", 4)
    footballer = db.session.scalars(db.select(Footballer).order_by(Footballer.id)).first()
    assert footballer is not None
    footballer.name = 'Ann "<&>\x0b Arm'
    db.session.commit()
    sent = db.session.scalars(db.select(OutboxMessage).order_by(OutboxMessage.event_number)).all()
    take_in(
        [Message(GAME_EVENTS.name, 0, row.event_number, "g1", row.payload) for row in sent], NOW
    )
    root = document(client)
    for element in root.iter():
        assert element.tag in SHOWN
        assert set(element.attrib) <= set(SHOWN[element.tag].split()), element.tag
    for team in root.findall("team"):
        for name, attribute in (
            ("rush", "yds"),
            ("pass", "yds"),
            ("rcv", "no"),
            ("punt", "no"),
            ("defense", "int"),
        ):
            total = team.find(f"totals/{name}")
            mine = sum(int(player.get(attribute, "0")) for player in team.findall(f"player/{name}"))
            assert mine == (0 if total is None else int(total.get(attribute, "0"))), name


@pytest.mark.parametrize(
    ("competition", "sackrush", "rush", "passing"),
    [("nfl", "N", ("1", "3"), -8), ("ncaa", "Y", ("2", "-5"), 0), ("nfhs", "Y", ("2", "-5"), 0)],
)
def test_a_sack_is_a_rush_in_college_and_high_school_statistics(
    client: FlaskClient, competition: str, sackrush: str, rush: tuple[str, str], passing: int
) -> None:
    """NCAA Football Statisticians' Manual, rushing plays.

    A sack is a rush of the passer for the yards lost.
    """
    make_game().competition = competition
    db.session.commit()
    ingest(
        messages(
            [
                ev.Snap(possession="HRB", spot=40, period=1, clock=800, down=1, distance=10),
                ev.Run(team="HRB", player="H1", kind="scramble", start_yard=40, end_yard=43),
                ev.Snap(possession="HRB", spot=43, period=1, clock=760, down=2, distance=7),
                ev.Sack(
                    team="HRB", player="H1", start_yard=43, end_yard=35, by_team="SUM", by=("S9",)
                ),
            ]
        )
    )
    root = document(client)
    home = root.findall("team")[1]
    for element in (home.find("totals/rush"), home.find("player[@name='H. Player1']/rush")):
        assert (element.get("att"), element.get("yds")) == rush  # type: ignore[union-attr]
    assert root.find("venue/rules").get("sackrush") == sackrush  # type: ignore[union-attr]
    assert home.find("totals").get("totoff_plays") == "2"  # type: ignore[union-attr]
    assert home.find("totals").get("totoff_yards") == "-5"  # type: ignore[union-attr]
    box = client.get("/api/v1/games/g1/box-score").json["home"]
    figures = box["figures"]
    assert (str(figures["carries"]), str(figures["rushing_yards"])) == rush
    assert (figures["plays"], figures["total_yards"], figures["passing_yards_net"]) == (
        2,
        -5,
        passing,
    )
    assert figures["sacks_suffered"] == 1
