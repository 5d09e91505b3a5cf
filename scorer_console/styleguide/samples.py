"""A made-up game for the console's style guide: its clubs, players and records. Reads nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from app.record import events as ev
from app.record.queries import ClubRow
from app.record.rules.football.rulebook import rulebook_of
from scorer_console.entry.page import Beside, Record, Screen, names_of, screen_of
from scorer_console.queries import ConsoleGame, Deliveries, Delivery
from scorer_console.record.accepted import AcceptedEvents
from scorer_console.record.effective_events import Fold
from scorer_console.roster.queries import PlayerRow

HOME, AWAY = "HRB", "SUM"
NOW = datetime(2026, 9, 13, 18, 20, tzinfo=UTC)
GAME = ConsoleGame(
    id="styleguide",
    home=ClubRow(HOME, "Harbor Lights", "Lights", "#0b5d38"),
    away=ClubRow(AWAY, "Summit Falcons", "Falcons", "#8a1c4a"),
    kickoff=datetime(2026, 9, 13, 17, 0, tzinfo=UTC),
    week=1,
    competition="nfl",
    season=2026,
    season_type="REG",
    last_event_number=0,
    last_play_number=0,
    is_practice=False,
)
PRACTICE = replace(GAME, id="styleguide-practice", is_practice=True, season=0)
ROSTER = tuple(
    PlayerRow(f"{club[0]}{number}", club, number, name, position)
    for club, number, name, position in (
        (HOME, 3, "Ola Brandvik", "K"),
        (HOME, 12, "Ilo Sopoaga", "QB"),
        (HOME, 22, "Deniz Hill", "RB"),
        (HOME, 54, "Rafael Marsh", "LB"),
        (HOME, 81, "Kenji Wakefield-Ito", "WR"),
        (HOME, 94, "Piet Elderbrook", "DE"),
        (AWAY, 4, "Nuno Ferrowick", "K"),
        (AWAY, 9, "Ines Okafor", "QB"),
        (AWAY, 20, "Mateus Rivera", "RB"),
        (AWAY, 22, "Jonas Hillier", "CB"),
        (AWAY, 55, "Sem Vandermolen", "LB"),
        (AWAY, 88, "Aroha Tamahori", "TE"),
    )
)
NAMES = names_of(ROSTER)

_OPENING: tuple[ev.Body, ...] = (
    ev.GameStarted(home=HOME, away=AWAY),
    ev.CoinToss(winner=HOME, choice="receive", receiver=HOME),
    ev.Snap(possession=AWAY, spot=35, period=1, clock=900, situation="kickoff"),
    ev.Kick(team=AWAY, kicker="S4", kind="kickoff", result="returned", distance=60),
    ev.Run(team=HOME, player="H22", kind="return", start_yard=5, end_yard=30),
    ev.Tackle(team=AWAY, tackler="S55", tackled="H22", kind="solo", yard=30),
)
_RUN: tuple[ev.Body, ...] = (
    ev.Snap(possession=HOME, spot=30, period=1, clock=880, down=1, distance=10),
    ev.Run(team=HOME, player="H22", kind="rush", start_yard=30, end_yard=33),
    ev.Tackle(team=AWAY, tackler="S55", tackled="H22", kind="solo", yard=33),
)
_SECOND_DOWN = ev.Snap(possession=HOME, spot=33, period=1, clock=842, down=2, distance=7)
_TOUCHDOWN = ev.Pass(
    team=HOME,
    passer="H12",
    receiver="H81",
    result="complete",
    throw_yard=33,
    reception_yard=100,
    is_touchdown=True,
)
# The records, each the events in the order in which they were entered.
EMPTY: tuple[ev.Body, ...] = ()
BETWEEN_PLAYS = (*_OPENING, *_RUN)
BALL_LIVE = (*BETWEEN_PLAYS, _SECOND_DOWN)
TOUCHDOWN = (*BALL_LIVE, _TOUCHDOWN)
STRUCK = (
    *BALL_LIVE,
    ev.Run(team=HOME, player="H22", kind="rush", start_yard=33, end_yard=45),
    ev.Penalty(
        team=HOME,
        player="H54",
        foul="Offensive Holding",
        yards=10,
        status="accepted",
        enforcement_yard=33,
    ),
    ev.Nullify(events=(11,), reason="Offensive Holding"),
)
UNDER_REVIEW = (*TOUCHDOWN, ev.Challenge(by=AWAY, ruling="pending"))
UNCONFIRMED = (*TOUCHDOWN, ev.Scoreboard(home_score=7, away_score=0, period=1, clock=830))
UNBALANCED = (
    *BETWEEN_PLAYS,
    ev.Snap(possession=AWAY, spot=20, period=1, clock=842, down=1, distance=10),
    ev.Run(team=AWAY, player="S20", kind="rush", start_yard=20, end_yard=24),
)
# Play 2 names everybody, play 3 misses the tackle, play 4 is live, and play 1 was struck out.
SPOTTED = (
    *BALL_LIVE,
    ev.Pass(
        team=HOME, passer="H12", receiver="H81", result="complete", throw_yard=33, reception_yard=41
    ),
    ev.Snap(possession=HOME, spot=41, period=1, clock=810, down=1, distance=10),
    ev.Nullify(events=(3, 4, 5, 6), reason="the kickoff is repeated"),
)
DELAYED = (*BETWEEN_PLAYS, ev.Delay(phase="start", reason="lightning"))
OVER = (
    *TOUCHDOWN,
    *(
        body
        for period in (1, 2, 3)
        for body in (
            ev.Period(period=period, phase="end"),
            ev.Period(period=period + 1, phase="start"),
        )
    ),
    ev.Period(period=4, phase="end"),
    ev.GameEnded(),
    ev.Final(home_score=6, away_score=0),
)

_INGESTED = Delivery(published=True, partition=3, offset=118, ingested=True, refused=None)
_PUBLISHED = replace(_INGESTED, ingested=False)
_REFUSED = replace(_INGESTED, ingested=False, refused="epoch 2 is over")
ALL_INGESTED: Mapping[int, Delivery] = dict.fromkeys(range(1, 40), _INGESTED)
# The last event is not published yet, the two before it not ingested.
UNPUBLISHED = {**dict.fromkeys(range(1, 7), _INGESTED), 7: _PUBLISHED, 8: _PUBLISHED}
BEHIND = {**ALL_INGESTED, 9: _PUBLISHED}
DEAD = {**ALL_INGESTED, 9: _REFUSED}


def screen_for(
    bodies: Iterable[ev.Body],
    deliveries: Mapping[int, Delivery] = ALL_INGESTED,
    game: ConsoleGame = GAME,
) -> Screen:
    """Return the console's screen of a game with these events, each an entry of its own."""
    recorded = record_of(bodies, game)
    rows = {
        number: deliveries[number]
        for number in range(1, recorded.accepted.last_number + 1)
        if number in deliveries
    }
    refused = sum(delivery.refused is not None for delivery in rows.values())
    ingested = sum(delivery.ingested for delivery in rows.values())
    return screen_of(
        recorded,
        Beside(
            version="1",
            now=NOW,
            roster=ROSTER,
            people=(),
            deliveries=Deliveries(
                rows=rows,
                waiting=recorded.accepted.last_number - len(rows),
                refused=refused,
                behind=len(rows) - ingested - refused,
            ),
            lease=None,
            waiting=(),
        ),
    )


def record_of(bodies: Iterable[ev.Body], game: ConsoleGame = GAME) -> Record:
    """Return the record of a game with these events. Each snap begins the next play."""
    events: list[ev.GameEvent] = []
    play = 0
    for number, body in enumerate(bodies, 1):
        play += isinstance(body, ev.Snap)
        events.append(
            ev.GameEvent(
                game_id=game.id,
                event_number=number,
                play_number=play,
                epoch=1,
                recorded_at=0,
                body=ev.check(body),
            )
        )
    accepted = AcceptedEvents(
        fold=Fold().with_events(events), entries=[f"entry-{event.event_number}" for event in events]
    )
    counted = replace(game, last_event_number=len(events), last_play_number=play)
    return Record(counted, accepted, rulebook_of(counted))
