"""An event type is declared once: fields, play table, sentence, whom it names.

Everything else follows from that.
"""

from __future__ import annotations

from typing import Literal

import msgspec
import pytest

from app.record import events as ev
from app.record.events.fields import ClubId, OpponentId, PlayerId
from app.record.pages.play_list import plays_of
from app.record.play_tables import PLAY_ROWS, columns_of_table, values_of
from app.record.queries import ClubRow, EventRow, GameRow
from app.record.words import Who, sentence
from tests.worlds.games import KICKOFF

NAMED = [
    (ev.Pass(team="HRB", passer="p", receiver="r", result="incomplete", throw_yard=1), {"p", "r"}),
    (ev.Run(team="HRB", player="p", kind="rush", start_yard=1, end_yard=2), {"p"}),
    (
        ev.Sack(team="HRB", player="p", start_yard=2, end_yard=1, by_team="SUM", by=("a", "b")),
        {"p", "a", "b"},
    ),
    (ev.Sack(team="HRB", start_yard=2, end_yard=1, by=(None,)), set()),
    (ev.Fumble(team="HRB", player="p", forced_by="f"), {"p", "f"}),
    (ev.Recovery(team="HRB", player="p"), {"p"}),
    (ev.Interception(team="HRB", player="p"), {"p"}),
    (ev.Kick(team="HRB", kicker="k", kind="punt", result="blocked", blocked_by="b"), {"k", "b"}),
    (ev.Conversion(team="HRB", kind="pass", good=True, passer="p", player="r"), {"p", "r"}),
    (ev.Safety(team="HRB", player="p"), {"p"}),
    (ev.Tackle(team="SUM", tackler="t", tackled="p", kind="solo"), {"t", "p"}),
    (ev.Credit(team="SUM", player="p", kind="qb_hit"), {"p"}),
    (ev.Penalty(team="SUM", player="p"), {"p"}),
    (ev.Challenge(by="HRB", ruling="pending"), set()),
    (ev.Timeout(team="HRB"), set()),
    (
        ev.Overturn(event=1, ruling=ev.Tackle(team="SUM", tackler="t", tackled="p", kind="solo")),
        {"t", "p"},
    ),
    (ev.StatCorrection(event=1, ruling=ev.Safety(team="HRB", player="p")), {"p"}),
    (ev.Nullify(events=(1,)), set()),
    (ev.RosterFact(team="HRB", player="p", status="in"), {"p"}),
]


@pytest.mark.parametrize(
    ("body", "players"), NAMED, ids=[f"{ev.type_of(body)}-{i}" for i, (body, _) in enumerate(NAMED)]
)
def test_everybody_whom_an_event_names_is_found(body: ev.Body, players: set[str]) -> None:
    assert ev.players_of(body) == players


def test_every_field_that_can_name_a_player_is_in_the_table_above() -> None:
    fields = {
        name: [f for part in ev.player_fields(kind).values() for f in part]
        for name, kind in ev.EVENT_TYPES.items()
    }
    named = {name: set[str]() for name in fields}
    for body, _ in NAMED:
        named[ev.type_of(body)] |= {f for f in fields[ev.type_of(body)] if getattr(body, f)}
    assert {name: sorted(listed) for name, listed in named.items()} == {
        name: sorted(f) for name, f in fields.items()
    }


@pytest.mark.parametrize(
    ("body", "clubs"),
    [
        (ev.Snap(possession="HRB", spot=1, period=1, clock=1), {"possession": "HRB"}),
        (
            ev.Sack(team="HRB", start_yard=1, end_yard=1, by_team="SUM"),
            {"team": "HRB", "by_team": "SUM"},
        ),
        (ev.Fumble(team="HRB", forced_by_team="SUM"), {"team": "HRB", "forced_by_team": "SUM"}),
        (ev.GameStarted(home="HRB", away="SUM"), {"home": "HRB", "away": "SUM"}),
        (ev.Challenge(by="HRB", ruling="pending"), {"by": "HRB"}),
        (ev.Timeout(), {}),
        (ev.Overturn(event=1, ruling=ev.Safety(team="SUM")), {"ruling.team": "SUM"}),
    ],
    ids=lambda value: ev.type_of(value) if isinstance(value, ev.EventBody) else "",
)
def test_every_club_that_an_event_names_is_found_by_its_field(
    body: ev.Body, clubs: dict[str, str]
) -> None:
    assert ev.clubs_of(body) == clubs


def test_types_that_share_a_table_fill_what_they_do_not_have() -> None:
    values = values_of(
        ev.Interception(team="SUM", player="S9", yard=40), PLAY_ROWS["turnovers"].columns, 0
    )
    assert values == {
        "kind": "interception",
        "team": "SUM",
        "player_id": "S9",
        "yard": 40,
        "forced_by_id": None,
        "out_of_bounds": False,
        "is_touchdown": False,
    }


class Hurdle(ev.EventBody, tag="hurdle", frozen=True, kw_only=True):
    """An event type that the record does not have: declared here, and nowhere else."""

    part = "action"
    table = ev.PlayTable(
        "hurdles",
        player="player_id",
        renamed={"field_position": "yard"},
        computed={"is_high": bool},
    )

    team: ClubId
    player: PlayerId | None = None
    hurdled: OpponentId | None = None
    yard: ev.Yard
    height: Literal["low", "high"]

    @property
    def is_high(self) -> bool:
        return self.height == "high"

    def words(self, who: Who) -> str:
        return f"{who(self.player)} hurdles {who(self.hurdled)}"


HURDLE = Hurdle(team="HRB", player="H3", hurdled="S9", yard=44, height="high")


def test_a_declared_type_is_checked_on_the_wire() -> None:
    assert msgspec.json.decode(msgspec.json.encode(HURDLE), type=Hurdle | ev.Run) == HURDLE
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.json.decode(
            b'{"type":"hurdle","team":"HRB","yard":101,"height":"high"}', type=Hurdle | ev.Run
        )
    assert ev.explain(caught.value) == "yard: expected `int` <= 100"


def test_a_declared_type_has_its_columns_and_its_row() -> None:
    assert Hurdle.table is not None
    columns = columns_of_table(Hurdle.table, [Hurdle])
    assert [(c.name, c.type, c.nullable) for c in columns] == [
        ("team", str, False),
        ("player_id", str, True),
        ("hurdled_id", str, True),
        ("field_position", int, False),
        ("height", str, False),
        ("is_high", bool, False),
    ]
    assert values_of(HURDLE, columns, 0) == {
        "team": "HRB",
        "player_id": "H3",
        "hurdled_id": "S9",
        "field_position": 44,
        "height": "high",
        "is_high": True,
    }


def test_a_declared_type_is_shown_in_the_play_list_with_everybody_whom_it_names() -> None:
    club = ClubRow("HRB", "Harbor", "", "#000000")
    game = GameRow("g1", 2026, "REG", 1, KICKOFF, club, club, "live", 0, 0, {}, 1)
    names = {"H3": "H. Runner", "S9": "S. Tackler"}
    (play,) = plays_of([EventRow(1, 0, 1, True, HURDLE, None, 0)], names, game)  # type: ignore[arg-type]
    assert [line.words for line in play.lines] == ["Runner hurdles Tackler."]
    assert play.players == {"H3", "S9"}
    assert sentence(HURDLE, {}) == "H3 hurdles S9."
    assert ev.player_fields(Hurdle) == {"own": ["player"], "opponents": ["hurdled"]}
    assert ev.clubs_of(HURDLE) == {"team": "HRB"}


def test_every_type_says_something() -> None:
    for name, kind in ev.EVENT_TYPES.items():
        assert kind.words is not ev.EventBody.words, (
            f"{name} has no words: give {kind.__name__} a method `words`"
        )


def message(**changes: object) -> bytes:
    body = {"type": "timeout", "reason": "Q"}
    event = {
        "game_id": "g1",
        "event_number": 1,
        "play_number": 0,
        "epoch": 1,
        "recorded_at": 1,
        "body": body,
    }
    return msgspec.json.encode(event | changes)


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        (message().replace(b'"Q"', b'"\xff"'), "a text is not UTF-8"),
        (
            message(more="Q").replace(b'"more":"Q"', b'"more":' + b"[" * 30_000 + b"]" * 30_000),
            "nested too deep",
        ),
        (message().replace(b'"Q"', b'"a\\u0000b"'), r"body.reason: holds the character U\+0000"),
        (message(recorded_at=10**30), "recorded_at: expected"),
        (message(epoch=2**31), "epoch: expected"),
        (message(more="x" * 70_000), "bytes, of at most 65,536"),
    ],
    ids=[
        "no UTF-8",
        "deep",
        "NUL",
        "a moment that no clock shows",
        "an epoch beyond its column",
        "too long",
    ],
)
def test_what_no_table_could_hold_is_refused_where_it_is_decoded(
    sent: bytes, sentence: str
) -> None:
    with pytest.raises(ev.InvalidEventError, match=sentence):
        ev.decode(sent)


def test_an_error_does_not_say_again_all_that_was_sent() -> None:
    body = {"type": "challenge", "ruling": "x" * 5_000}
    with pytest.raises(ev.InvalidEventError) as caught:
        ev.decode(message(body=body))
    assert len(str(caught.value)) < 500


def test_optional_details_are_left_out_of_the_wire_and_older_messages_are_read_as_they_were() -> (
    None
):
    older = {"type": "pass", "team": "SF", "result": "incomplete", "throw_yard": 30}
    assert ev.body_to(ev.body_from(older)) == older
    detailed = older | {"length": "deep", "location": "left", "incompletion": "dropped"}
    assert ev.body_to(ev.body_from(detailed)) == detailed
    assert (
        sentence(ev.body_from(detailed), {})
        == "An unnamed player passes deep left: incomplete (dropped)."
    )
    with pytest.raises(ev.InvalidEventError, match="incompletion"):
        ev.body_from(detailed | {"result": "intercepted"})


def test_a_slip_of_the_scorer_is_corrected_and_a_ruling_of_the_officials_overturned() -> None:
    ruling = {"type": "safety", "team": "SF"}
    slip = ev.body_from({"type": "overturn", "event": 4, "ruling": ruling, "by_scorer": True})
    assert sentence(slip, {}) == "Event 4 corrected: safety, 2 points for SF."
    assert sentence(
        ev.body_from({"type": "overturn", "event": 4, "ruling": ruling}), {}
    ).startswith("Event 4 overturned:")


def test_the_toss_and_a_delay_are_told() -> None:
    toss = ev.CoinToss(winner="SF", choice="defer", receiver="DAL", goal="north")
    assert (
        sentence(toss, {})
        == "SF wins the toss and defers to the second half: DAL receives (north)."
    )
    assert (
        sentence(ev.Delay(phase="start", reason="Lightning"), {}) == "Play is delayed (Lightning)."
    )
    assert sentence(ev.Delay(phase="end"), {}) == "Play resumes."
