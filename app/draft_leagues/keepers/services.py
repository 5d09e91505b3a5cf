"""Takes a draft league into the next season: franchises, settings, picks, and who is kept.

The next season is a league of its own that continues the old one. Its teams choose keepers until a
deadline. Then, or when the draft begins, the choices stand: they are written into the log, and
occupy picks of the draft.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec
from sqlalchemy import delete, insert, select, update

from app.accounts.models import Member
from app.core.db import db, transaction
from app.core.refusals import Refusal
from app.draft_leagues.drafts.models import DraftRow
from app.draft_leagues.drafts.plan import DraftPlan, Keeper
from app.draft_leagues.franchises.services import Team, franchise_of, locked, runs_league, teams
from app.draft_leagues.keepers import words
from app.draft_leagues.keepers.models import KeeperChoice, KeeperWindow
from app.draft_leagues.keepers.queries import (
    choices,
    chosen_by,
    owned_before,
    planned,
    terms_of,
    window,
)
from app.draft_leagues.keepers.rolling import (
    first_deadline,
    next_league,
    next_season,
    roll_refusals,
    settings_of_next,
)
from app.draft_leagues.keepers.rules import agreed, has_keepers
from app.draft_leagues.models import SETUP, DraftLeague
from app.draft_leagues.season.queries import load_season
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.setup.services import NewDraftLeague, add_draft_league
from app.draft_leagues.transactions.services import NO_LIMITS, Refused, record, settings_of
from app.fantasy.leagues import owners
from app.fantasy.leagues.models import LeagueBan
from app.fantasy.market.models import Season
from app.fantasy.notices import services as notices
from app.fantasy.notices.services import NewNotice
from app.fantasy.notices.words import Words
from app.fantasy.rosters.models import Franchise
from app.fantasy.rosters.queries import names_of, rosters_of
from app.fantasy.rosters.rules import ACTIVE, Move, PickMove, Spot, Transaction
from app.fantasy.sheets.context import deadline_words
from app.fantasy.standings.models import League, LeagueMember

PAST = Refusal("past", "deadline", "Choose a keeper deadline in the future.")
CLOSED = Refusal("closed", "keepers", "The deadline has passed. Keepers are locked in.")
CHOSEN_SINCE = Refusal(
    "changed_meanwhile",
    "keepers",
    "Someone saved other keepers after you opened this page. Yours are not saved. Check and save "
    "again.",
)
NOT_YOURS = Refusal(
    "not_yours",
    "",
    "Only the commissioner can do this for other teams.",
)


def roll(
    league_id: int, member_id: int, deadline: datetime | None, now: datetime
) -> League | list[Refusal]:
    """Take the league into the next season. Again it returns the league that was made.

    Again with another deadline it is refused, because the first one stands.

    Args:
        league_id: The league whose season has ended.
        member_id: Who runs it.
        deadline: Until when keepers are chosen; of a league without keepers it is ignored.
        now: The moment.
    """
    with transaction():
        draft_league = locked(league_id)
        if not runs_league(league_id, member_id):
            return [NOT_YOURS]
        settings = settings_of(draft_league)
        if (existing := next_league(league_id)) is not None:
            refused = _again_refusals(existing, deadline, settings.time_zone)
            return refused or existing
        old = db.session.get_one(League, league_id)
        season = next_season(old)
        keeps = has_keepers(settings.keepers)
        if refused := roll_refusals(draft_league, season, now):
            return refused
        assert season is not None
        if keeps and (refused := _deadline_refusals(season, deadline, settings.time_zone, now)):
            return refused
        new = _continue(old, draft_league, season, now)
        if keeps and deadline is not None:
            db.session.add(KeeperWindow(league_id=new.id, deadline=deadline))
            db.session.flush()
            if settings.keepers.keeps_all:
                _choose_all(new)
        notice_words = words.goes_on(
            new.name, season.name, has_keepers=keeps, is_dynasty=settings.keepers.keeps_all
        )
        _notify(new, teams(new.id), "goes-on", notice_words, now)
        return new


def _again_refusals(new: League, deadline: datetime | None, time_zone: str) -> list[Refusal]:
    """Why a league that has gone on does not take over another deadline for keepers."""
    stands = window(new.id)
    if stands is None or deadline in (None, stands.deadline):
        return []
    text = (
        "The next season has already started, and teams choose keepers until "
        f"{deadline_words(stands.deadline, time_zone)}. To close that early, open the new "
        "season's keepers page."
    )
    return [Refusal("goes_on", "deadline", text)]


def _deadline_refusals(
    season: Season, deadline: datetime | None, time_zone: str, now: datetime
) -> list[Refusal]:
    """Why keepers cannot be chosen until then: the draft comes after it, before the first game."""
    if deadline is None or deadline <= now:
        return [PAST]
    begins_at = first_deadline(season.id, now)
    if begins_at is None or deadline < begins_at:
        return []
    text = (
        f"The season's first game is on {deadline_words(begins_at, time_zone)}, and the draft "
        "comes before it. Choose an earlier keeper deadline."
    )
    return [Refusal("late", "deadline", text)]


def _continue(old: League, draft_league: DraftLeague, season: Season, now: datetime) -> League:
    """Write the new league with the franchises of the old one, and the picks that were traded."""
    by_number = {team.number: team for team in teams(old.id)}
    commissioner_id = old.commissioner_id
    assert commissioner_id is not None  # only an overall league has none
    commissioner = db.session.get_one(LeagueMember, (old.id, commissioner_id))
    new = add_draft_league(
        commissioner_id,
        NewDraftLeague(
            old.name,
            commissioner.team_name,
            season.id,
            settings_of_next(settings_of(draft_league)),
            old.is_public,
        ),
        now,
    )
    new.continues_id = old.id
    for table, columns in (
        (LeagueMember, ("member_id", "team_name", "is_co_commissioner")),
        (LeagueBan, ("member_id",)),
    ):
        rows = db.session.execute(
            select(*(getattr(table, name) for name in columns))
            .join(Member, Member.id == table.member_id)
            .where(table.league_id == old.id, Member.erased_at.is_(None))
        )
        values = [
            {"league_id": new.id} | dict(zip(columns, row, strict=True))
            for row in rows
            if row.member_id != commissioner_id and not owners.is_placeholder(row.member_id)
        ]
        if values:
            db.session.execute(insert(table), values)
    _carry_franchises(new.id, by_number, _priorities(old.id))
    _carry_picks(old.id, new.id, season.season, now)
    return new


def _priorities(league_id: int) -> dict[int, int]:
    """Who claims first next season: the last of the final table."""
    table = load_season(league_id).table
    return {place.franchise: len(table) + 1 - place.place for place in table}


def _carry_franchises(league_id: int, before: dict[int, Team], priorities: dict[int, int]) -> None:
    """Give every franchise its member, its name and its division of before."""
    db.session.execute(
        update(Franchise).where(Franchise.league_id == league_id).values(member_id=None)
    )
    in_league = set(
        db.session.scalars(
            select(LeagueMember.member_id).where(LeagueMember.league_id == league_id)
        )
    )
    franchises = db.session.scalars(
        select(Franchise)
        .where(Franchise.league_id == league_id)
        .order_by(Franchise.number)
        .execution_options(populate_existing=True)
    )
    for franchise in franchises:
        team = before[franchise.number]
        franchise.member_id = team.member_id if team.member_id in in_league else None
        franchise.name, franchise.division = team.name, team.division
        franchise.waiver_priority = priorities[franchise.number]
    db.session.flush()


def _carry_picks(old_id: int, new_id: int, year: int, now: datetime) -> None:
    """Take over which picks of this draft and of later ones have changed hands."""
    moves = tuple(
        PickMove(season, round_number, original, from_franchise=original, to_franchise=owner)
        for (season, round_number, original), owner in rosters_of(old_id).picks.items()
        if season >= year and owner != original
    )
    if moves:
        carried = Transaction(
            "kept", picks=moves, reason="Picks traded earlier", source="kept:picks"
        )
        result = record(locked(new_id), [carried], now)
        assert isinstance(result, list)  # nobody but the original franchise has them there


def _choose_all(league: League) -> None:
    """Choose whole rosters, as far as there are places."""
    settings = settings_of(db.session.get_one(DraftLeague, league.id))
    for franchise, roster in sorted(owned_before(league).items()):
        result = agreed(roster, terms_of(league, settings, franchise))
        _write_choices(league.id, franchise, [each.owned.footballer_id for each in result.kept])


@dataclass(frozen=True)
class NewChoice:
    """The keepers whom a franchise wants, the first choice first.

    `expected`: the choice that was changed to this one; None if it does not matter.
    """

    franchise: int
    footballers: Sequence[str]
    expected: Sequence[str] | None = None


def choose(league_id: int, new: NewChoice, member_id: int, now: datetime) -> list[Refusal]:
    """Choose the keepers of a franchise anew.

    `member_id`: who runs the franchise, or the league. It is refused if another choice than the
    expected one stands by now, unless it is the wanted one. If anything is wrong, everything stays
    as it was.
    """
    franchise = new.franchise
    with transaction():
        draft_league = locked(league_id)
        if not _may_choose(league_id, franchise, member_id):
            return [NOT_YOURS]
        open_window = window(league_id)
        if (
            open_window is None
            or open_window.closed_at is not None
            or open_window.deadline <= now
            or draft_league.phase != SETUP
        ):
            return [CLOSED]
        league = db.session.get_one(League, league_id)
        roster = {each.footballer_id: each for each in owned_before(league).get(franchise, ())}
        named = [*dict.fromkeys(new.footballers)]
        if new.expected is not None:
            stands = chosen_by(league_id, franchise)
            if stands not in ([*new.expected], named):
                return [CHOSEN_SINCE]
        if unknown := [each for each in named if each not in roster]:
            name = names_of(unknown).get(unknown[0], "A player")
            text = f"{name} was not on this roster when the season ended. Choose another player."
            return [Refusal("unknown", "keepers", text)]
        terms = terms_of(league, settings_of(draft_league), franchise)
        result = agreed([roster[each] for each in named], terms)
        if result.refusals:
            return [*result.refusals]
        _write_choices(league_id, franchise, named)
    return []


def _may_choose(league_id: int, franchise: int, member_id: int) -> bool:
    is_own = franchise_of(league_id, member_id) == franchise
    return is_own or runs_league(league_id, member_id)


def _write_choices(league_id: int, franchise: int, footballers: Sequence[str]) -> None:
    db.session.execute(
        delete(KeeperChoice).where(
            KeeperChoice.league_id == league_id, KeeperChoice.franchise == franchise
        )
    )
    rows = [
        {
            "league_id": league_id,
            "franchise": franchise,
            "footballer_id": footballer_id,
            "position": position,
        }
        for position, footballer_id in enumerate(footballers, start=1)
    ]
    if rows:
        db.session.execute(insert(KeeperChoice), rows)


def close_now(league_id: int, member_id: int, now: datetime) -> list[Refusal]:
    """Let the choices stand before their deadline, because the commissioner says so."""
    with transaction():
        draft_league = locked(league_id)
        if not runs_league(league_id, member_id):
            return [NOT_YOURS]
        close(draft_league, now)
    return []


def close_due(now: datetime, league_id: int | None = None, but: Collection[int] = ()) -> int:
    """Let the choices stand whose deadline has passed; returns in how many leagues.

    In this league, or in all but these.
    """
    query = select(KeeperWindow.league_id).where(
        KeeperWindow.deadline <= now, KeeperWindow.closed_at.is_(None)
    )
    if league_id is not None:
        query = query.where(KeeperWindow.league_id == league_id)
    query = query.where(KeeperWindow.league_id.not_in(but)).order_by(KeeperWindow.league_id)
    due = db.session.scalars(query).all()
    for each in due:
        with transaction():
            close(locked(each), now)
    return len(due)


def close(draft_league: DraftLeague, now: datetime) -> tuple[Keeper, ...]:
    """Let the choices stand, and return the keepers; again it changes nothing.

    Only the caller commits, and has locked the league. Choices that are impossible by now, because
    a pick was traded away since, are left out.
    """
    league_id = draft_league.league_id
    open_window = window(league_id)
    if open_window is None or open_window.closed_at is not None:
        return planned(league_id)
    open_window.closed_at = now
    league = db.session.get_one(League, league_id)
    settings = settings_of(draft_league)
    rosters = owned_before(league)
    transactions = []
    for team in teams(league_id):
        roster = {each.footballer_id: each for each in rosters.get(team.number, ())}
        chosen = [each for each in choices(league_id) if each.franchise == team.number]
        result = agreed(
            [roster[each.footballer_id] for each in chosen if each.footballer_id in roster],
            terms_of(league, settings, team.number),
        )
        by_footballer = {each.owned.footballer_id: each for each in result.kept}
        left_out = []
        for choice in chosen:
            if (stays := by_footballer.get(choice.footballer_id)) is None:
                left_out.append(choice.footballer_id)
                db.session.delete(choice)
                continue
            choice.round, choice.price = stays.round, stays.price
            choice.seasons = stays.owned.seasons_kept + 1
        if by_footballer:
            transactions.append(
                Transaction(
                    "kept",
                    _moves(team.number, [*by_footballer], league.continues_id, settings),
                    reason="Kept from last season",
                    source=f"kept:{team.number}",
                )
            )
        notice_words = _standing_words(league, settings, [*by_footballer], left_out)
        _notify(league, [team], "keepers-stand", notice_words, now)
    db.session.flush()
    limits = NO_LIMITS if settings.drafts_rookies else None
    recorded = record(draft_league, transactions, now, limits=limits)
    assert not isinstance(recorded, Refused), recorded  # rosters were empty, and there is room
    keepers = planned(league_id)
    _plan(league_id, keepers)
    return keepers


def _standing_words(
    league: League,
    settings: DraftLeagueSettings,
    keepers: Sequence[str],
    left_out: Sequence[str],
) -> Words:
    names = names_of([*keepers, *left_out])
    return words.stand(
        league.name,
        [names.get(each, each) for each in keepers],
        [names.get(each, each) for each in left_out],
        is_dynasty=settings.drafts_rookies,
    )


def _moves(
    franchise: int,
    footballers: Sequence[str],
    old_id: int | None,
    settings: DraftLeagueSettings,
) -> tuple[Move, ...]:
    """Bring them to the roster: those of the taxi squad to it, as long as there is room.

    A dynasty's injured reserve stays too.
    """
    assert old_id is not None
    before = rosters_of(old_id).of(franchise)
    roster = settings.roster
    room: dict[Spot, int] = {"active": roster.active, "taxi": roster.taxi}
    if settings.drafts_rookies:
        room["reserve"] = roster.reserve
    sizes: Counter[Spot] = Counter()
    moves = []
    for footballer_id in footballers:
        wishes: tuple[Spot, ...] = (before[footballer_id].spot, ACTIVE, "taxi")
        spot = next((each for each in wishes if sizes[each] < room.get(each, 0)), ACTIVE)
        sizes[spot] += 1
        moves.append(Move(footballer_id, None, franchise, spot))
    return tuple(moves)


def _plan(league_id: int, keepers: tuple[Keeper, ...]) -> None:
    """Write the keepers into the plan of a draft that has not begun."""
    row = db.session.scalars(
        select(DraftRow)
        .where(DraftRow.league_id == league_id, DraftRow.status == "waiting")
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one_or_none()
    if row is not None:
        plan = msgspec.convert(row.plan, DraftPlan)
        row.plan = msgspec.to_builtins(msgspec.structs.replace(plan, keepers=keepers))


def _notify(
    league: League, whom: Sequence[Team], key: str, notice_words: Words, now: datetime
) -> None:
    notices.notify(
        [
            NewNotice.of(
                team.member_id,
                "league",
                f"league:{league.id}:{key}",
                notice_words,
                f"/leagues/{league.slug}/keepers",
            )
            for team in whom
            if team.member_id is not None
        ],
        now,
    )
