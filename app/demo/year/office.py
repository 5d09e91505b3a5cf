"""What happens between the gameweeks of a simulated season.

The league office corrects statistics of settled weeks, gamers join and leave, and commissioners
adjust scores and change rules. The plan follows from the seed, and its acts use the services that
pages use. Doing a week's acts again changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random

from msgspec import structs
from sqlalchemy import func, select, update

from app.core.clock import to_ms
from app.core.db import db
from app.demo.clubs import rosters
from app.demo.year.calendar import SimulatedGame, SimulatedWeek
from app.demo.year.cast import CHANGED_RULES, CUSTOM
from app.demo.year.messages import message
from app.fantasy.gameweeks import live
from app.fantasy.leagues import adjustments, rule_changes
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.models import LeagueBan, RuleChange, ScoreAdjustment
from app.fantasy.market.models import Gameweek
from app.fantasy.scoring.points import store_player_points
from app.fantasy.scoring.rules import STANDARD_IDP
from app.fantasy.standings.models import League, LeagueMember
from app.record import events as ev
from app.record.ingest import ingest_batch
from app.record.models import Game, RecordedEvent

_CORRECTIONS = 3  # per week, of games of any settled gameweek
_FEWEST_MEMBERS = 2  # besides the commissioner: nobody leaves a smaller league

Act = Callable[["Desk", str], None]


@dataclass(frozen=True)
class Desk:
    """The season and the time of an act; `number` is that of the next gameweek."""

    season_id: int
    number: int
    now: datetime
    rng: Random

    def league(self, name: str) -> League | None:
        """Return the season's league of this name, or None."""
        return db.session.scalar(
            select(League).where(League.season_id == self.season_id, League.name == name)
        )

    def gameweek(self, week: int) -> Gameweek:
        """Return the season's gameweek of this number."""
        return db.session.scalars(
            select(Gameweek).where(Gameweek.season_id == self.season_id, Gameweek.week == week)
        ).one()


def open_hours(
    seed: int, weeks: Sequence[SimulatedWeek], number: int, season_id: int, now: datetime
) -> None:
    """Do what is planned before gameweek `number`; the last number plus one is after the season."""
    for week, game, place in _corrections(seed, weeks):
        if week == number:
            _correct(seed, game, place, now)
    desk = Desk(season_id, number, now, Random(f"office {seed} {number}"))  # noqa: S311
    for week, name, act in _ACTS:
        if week == number:
            act(desk, name)


# --- corrections ---


def _corrections(seed: int, weeks: Sequence[SimulatedWeek]) -> list[tuple[int, SimulatedGame, int]]:
    """Plan the corrections.

    Returns:
        For each the gameweek that it precedes, the game, and its number within the game, from 1.
    """
    rng = Random(f"corrections {seed}")  # noqa: S311
    corrections: list[tuple[int, SimulatedGame, int]] = []
    for number in range(2, len(weeks) + 2):
        for _ in range(_CORRECTIONS):
            game = rng.choice(rng.choice(weeks[max(0, number - 5) : number - 1]).games)
            corrections.append(
                (number, game, 1 + sum(other.id == game.id for _, other, _ in corrections))
            )
    return corrections


def _correct(seed: int, game: SimulatedGame, place: int, now: datetime) -> None:
    """Credit a carry or a tackle to another player of the club.

    The first player may have no stat line afterwards.
    """
    rng = Random(f"correction {seed} {game.id} {place}")  # noqa: S311
    original = rng.choice(
        db.session.execute(
            select(RecordedEvent.event_number, RecordedEvent.play_number, RecordedEvent.body)
            .where(
                RecordedEvent.game_id == game.id,
                RecordedEvent.revision == 0,
                RecordedEvent.type.in_(("run", "tackle")),
            )
            .order_by(RecordedEvent.event_number)
        ).all()
    )
    final = db.session.scalars(
        select(func.max(RecordedEvent.event_number)).where(
            RecordedEvent.game_id == game.id, RecordedEvent.type == "final"
        )
    ).one()
    ruling = _credited_to_another(rng, ev.body_from(original.body))
    body = ev.StatCorrection(
        event=original.event_number, ruling=ruling, reason="The film shows another player"
    )
    done = ingest_batch(
        [message(game.id, final + place, original.play_number, to_ms(now), body)],
        now,
        store_player_points,
    )
    assert done.corrected + done.duplicates == 1, (
        f"correction {final + place} of {game.id} was not ingested"
    )
    db.session.execute(
        update(Game).where(Game.id == game.id).values(last_event_number=final + place)
    )
    db.session.commit()
    live.refresh_game(game.id, now)


def _credited_to_another(rng: Random, body: ev.Body) -> ev.Run | ev.Tackle:
    assert isinstance(body, ev.Run | ev.Tackle), body
    positions = ("RB", "WR") if isinstance(body, ev.Run) else ("DL", "LB", "CB", "S")
    credited = body.player if isinstance(body, ev.Run) else body.tackler
    other = rng.choice(
        [
            player.id
            for player in rosters()[body.team]
            if player.position in positions and player.id != credited
        ]
    )
    if isinstance(body, ev.Run):
        return structs.replace(body, player=other)
    return structs.replace(body, tackler=other)


# --- what commissioners and gamers do ---


def _adjust(week: int, points: int, reason: str) -> Act:
    def act(desk: Desk, name: str) -> None:
        league = desk.league(name)
        if league is None or _is_adjusted(league, reason):
            return
        adjustment = adjustments.NewAdjustment(
            desk.rng.choice(_members(league)), desk.gameweek(week).id, points
        )
        done = adjustments.apply(league, adjustment, reason, _run_by(league), desk.now)
        assert isinstance(done, ScoreAdjustment), done

    return act


def _is_adjusted(league: League, reason: str) -> bool:
    adjustment = select(ScoreAdjustment.id).where(
        ScoreAdjustment.league_id == league.id, ScoreAdjustment.reason == reason
    )
    return db.session.scalar(adjustment) is not None


def _change_rules(title: str, milli_points: Mapping[str, int], reason: str) -> Act:
    def act(desk: Desk, name: str) -> None:
        league = desk.league(name)
        if league is None:
            return
        same_change = select(RuleChange.id).where(
            RuleChange.league_id == league.id, RuleChange.reason == reason
        )
        if db.session.scalar(same_change) is None:
            change = rule_changes.NewScoring(title, milli_points)
            done = rule_changes.apply(league, change, reason, _run_by(league), desk.now)
            assert isinstance(done, RuleChange), done

    return act


def _join(desk: Desk, name: str) -> None:
    """Let two gamers of other leagues join; most have a team under the same rules already."""
    league = desk.league(name)
    if league is None:
        return
    everybody = db.session.scalars(
        select(LeagueMember.member_id)
        .join(League, League.id == LeagueMember.league_id)
        .where(League.season_id == desk.season_id)
        .distinct()
        .order_by(LeagueMember.member_id)
    ).all()
    for member in desk.rng.sample(everybody, 2):
        if member == league.commissioner_id:
            continue
        refused = leagues.join(member, league.id, f"Late {member}", desk.now)
        assert refused is None, refused


def _leave(desk: Desk, name: str) -> None:
    league = desk.league(name)
    if league is not None and len(_members(league)) > _FEWEST_MEMBERS:
        refused = leagues.leave(desk.rng.choice(_members(league)), league.id, desk.now)
        assert refused is None, refused


def _remove(desk: Desk, name: str) -> None:
    league = desk.league(name)
    banned = select(LeagueBan.member_id).where(LeagueBan.league_id == league.id) if league else None
    if (
        league is None
        or banned is None
        or db.session.scalar(banned) is not None
        or len(_members(league)) <= _FEWEST_MEMBERS
    ):
        return
    refused = leagues.remove(league.id, desk.rng.choice(_members(league)), desk.now)
    assert refused is None, refused


def _members(league: League) -> list[int]:
    """Return all but the commissioner, in the order of their ids."""
    members = select(LeagueMember.member_id).where(LeagueMember.league_id == league.id)
    return sorted(set(db.session.scalars(members)) - {league.commissioner_id})


def _run_by(league: League) -> int:
    assert league.commissioner_id is not None, "a league of gamers has a commissioner"
    return league.commissioner_id


# The gameweek before which something is done, the league, and what.
_ACTS: Sequence[tuple[int, str, Act]] = (
    (3, "The Long Bench", _join),
    (4, "Two by Two", _adjust(3, -5_000, "Two gamers picked this team together")),
    (5, "The Long Bench", _join),
    (7, "Breakfast in Tokyo", _join),
    (8, "House Rules", _join),
    (9, "Open till Kickoff", _adjust(6, 2_500, "The page was down for them at the second kickoff")),
    (9, "Thursday in Berlin", _leave),
    (
        10,
        "The Long Bench",
        _change_rules(CHANGED_RULES, CUSTOM[CHANGED_RULES], "As we voted in autumn"),
    ),
    (11, "The Odd Ones", _leave),
    (12, "House Rules", _remove),
    (
        13,
        "The Last Minute",
        _change_rules(STANDARD_IDP.title, STANDARD_IDP.milli_points, "Without catches"),
    ),
    (15, "Tight Fists", _adjust(1, -1_250, "They knew of an injury that nobody else knew of")),
    (
        16,
        "Two by Two",
        _adjust(15, 4_000, "Two of their players were listed with the wrong club"),
    ),
)
