"""Plans drafts: of a league from its settings, and mock drafts against bots."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec
from sqlalchemy import delete, exists, insert, select

from app.core.db import db
from app.core.refusals import Refusal
from app.draft_leagues.drafts.desk import due_while_waiting, open_desk
from app.draft_leagues.drafts.lottery import SEED_BYTES
from app.draft_leagues.drafts.models import DraftRow, DraftSeat
from app.draft_leagues.drafts.plan import DraftPlan, Eligible, Keeper, TradedPick
from app.draft_leagues.drafts.queries import Seat, mocks_of
from app.draft_leagues.drafts.ranking import ensure_ranking
from app.draft_leagues.season_facts import season_facts
from app.draft_leagues.setting_fitting import fitted
from app.draft_leagues.settings import PRESETS, DraftLeagueSettings
from app.fantasy.market.models import FootballerSeason, Season
from app.fantasy.market.statuses import LEFT

MOST_MOCKS = 5  # of a member; older ones are deleted
MOCK_SECONDS = 60
BOT_NAMES = (
    "Audible United",
    "Blitz Brigade",
    "Coin Toss Kings",
    "Deep Threats",
    "End Zone Eleven",
    "Fourth and Long",
    "Goal Line Gang",
    "Hail Mary Club",
    "Inside Runners",
    "Jet Sweepers",
    "Kickoff Crew",
    "Long Snappers",
    "Motion Men",
    "No Huddle",
)


@dataclass(frozen=True)
class DraftToPlan:
    """A draft to be planned.

    Attributes:
        seats: The franchises, in any order.
        order: The franchises in the order of the first round; empty for a lottery.
    """

    name: str
    season_id: int
    settings: DraftLeagueSettings
    seats: Sequence[Seat]
    order: Sequence[int] = ()
    league_id: int | None = None
    starts_at: datetime | None = None
    traded: tuple[TradedPick, ...] = ()
    keepers: tuple[Keeper, ...] = ()
    created_by: int | None = None


def new_seed() -> str:
    """The secret seed of a lottery."""
    return secrets.token_hex(SEED_BYTES)


def plan_draft(new: DraftToPlan, now: datetime) -> DraftRow:
    """Plan a draft. Only the caller commits.

    Without an order a lottery decides it; the commitment to its seed is published from now on.
    """
    franchises = tuple(new.order) or tuple(sorted(seat.franchise for seat in new.seats))
    plan = plan_for(new, franchises)
    ensure_ranking(new.season_id, plan, now)
    row = DraftRow(
        league_id=new.league_id,
        season_id=new.season_id,
        name=new.name,
        plan=msgspec.to_builtins(plan),
        starts_at=new.starts_at,
        due_at=due_while_waiting(new.starts_at, now),
        lottery_seed=None if new.order else new_seed(),
        created_by=new.created_by,
    )
    db.session.add(row)
    db.session.flush()
    seats = [
        {
            "draft_id": row.id,
            "franchise": seat.franchise,
            "name": seat.name,
            "member_id": seat.member_id,
        }
        for seat in new.seats
    ]
    db.session.execute(insert(DraftSeat), seats)
    return row


@dataclass(frozen=True)
class MockWish:
    """The mock draft that somebody wants. `seat` is the place in the first round, from 1."""

    preset: str
    seat: int
    team_name: str


def start_mock(member_id: int, wish: MockWish, now: datetime) -> int | Refusal:
    """Plan a mock draft against bots, and begin it. Returns its id."""
    settings = PRESETS.get(wish.preset)
    if settings is None:
        text = f"Choose one of these leagues: {', '.join(PRESETS)}."
        return Refusal("preset", "preset", text)
    if not 1 <= wish.seat <= settings.franchises:
        text = f"Choose a draft position from 1 to {settings.franchises}."
        return Refusal("seat", "seat", text)
    season_id = mock_season()
    if season_id is None:
        text = "There are no players to draft yet. Try again when a season is set up."
        return Refusal("no_season", "", text)
    settings = fitted(settings, season_facts(season_id, now))
    clock = msgspec.structs.replace(settings.draft, seconds_per_pick=MOCK_SECONDS)
    settings = msgspec.structs.replace(settings, draft=clock)
    _forget_old_mocks(member_id)
    seats = _mock_seats(member_id, wish, settings.franchises)
    row = plan_draft(
        DraftToPlan(
            name=f"Mock draft: {wish.preset.replace('-', ' ')}",
            season_id=season_id,
            settings=settings,
            seats=seats,
            order=[seat.franchise for seat in seats],
            created_by=member_id,
        ),
        now,
    )
    desk = open_desk(row.id, now)
    assert desk is not None
    desk.start(now, by_member_id=member_id)
    desk.save()
    return row.id


def mock_season() -> int | None:
    """The season whose footballers mock drafts use: the latest of football that has a market.

    A season of the NFL comes before others, such as the demo's.
    """
    return db.session.scalar(
        select(Season.id)
        .where(
            exists().where(
                FootballerSeason.season_id == Season.id,
                FootballerSeason.position == "QB",
                FootballerSeason.status != LEFT,
            ),
        )
        .order_by(
            Season.competition != "nfl", Season.is_simulated, Season.season.desc(), Season.id.desc()
        )
        .limit(1)
    )


def plan_for(new: DraftToPlan, order: tuple[int, ...]) -> DraftPlan:
    """The plan of a draft whose franchises pick in this order."""
    settings, draft = new.settings, new.settings.draft
    bots = tuple(seat.franchise for seat in new.seats if seat.member_id is None)
    return DraftPlan(
        kind=draft.kind,
        scoring=settings.scoring,
        time_zone=settings.time_zone,
        order=order,
        rounds=settings.draft_rounds,
        places=_places(settings),
        starters=settings.roster.starters,
        seconds_per_pick=draft.seconds_per_pick,
        seconds_per_bid=draft.seconds_per_bid,
        budget=draft.budget,
        night_pause=draft.night_pause,
        traded=new.traded,
        keepers=new.keepers,
        autopilots=() if draft.kind == "offline" else bots,
        seed=secrets.token_hex(8),
        eligible=_eligible(settings),
    )


def _places(settings: DraftLeagueSettings) -> int:
    """How many footballers a franchise can draft. In a rookie draft no pick is passed over."""
    if not settings.drafts_rookies:
        return settings.roster.active + settings.roster.taxi
    if settings.draft.kind == "auction":
        return settings.draft_rounds
    return settings.draft_rounds * settings.franchises


def _eligible(settings: DraftLeagueSettings) -> Eligible:
    if not settings.drafts_rookies:
        return "everybody"
    return "rookies" if settings.keepers.rookies_only else "free_agents"


def _mock_seats(member_id: int, wish: MockWish, franchises: int) -> list[Seat]:
    names = [name for name in BOT_NAMES if name.lower() != wish.team_name.lower()]
    seats = [Seat(number, names[number - 1], None) for number in range(1, franchises + 1)]
    seats[wish.seat - 1] = Seat(wish.seat, wish.team_name, member_id)
    return seats


def _forget_old_mocks(member_id: int) -> None:
    """Delete the member's oldest mock drafts, so that they do not pile up."""
    old = [row.id for row in mocks_of(member_id, 100)[MOST_MOCKS - 1 :]]
    if old:
        db.session.execute(delete(DraftRow).where(DraftRow.id.in_(old)))


PRESET_NAMES: Mapping[str, str] = {
    "redraft": "10 teams, half PPR",
    "dynasty": "Dynasty, 12 teams",
    "two-quarterback": "Two quarterbacks",
    "idp": "With individual defenders",
    "best-ball": "Best ball, 12 teams",
}
