"""A commissioner sets a team's line-up: of a gameweek that has begun, or of the open one.

The correction replaces the stored line-up; results follow as they do after a correction of the
record. The preview is the same computation, rolled back. What changes in an open line-up is told to
its owner alone, because it is secret until it locks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, text, update

from app.core.bidi import isolated
from app.core.db import db
from app.core.refusals import Refusal
from app.draft_leagues import league_clock
from app.draft_leagues.commissioner import lineup_rules
from app.draft_leagues.commissioner.services import NO_FRANCHISE, REASON
from app.draft_leagues.franchises import services as franchises
from app.draft_leagues.franchises.services import locked
from app.draft_leagues.free_text import reason_refusals
from app.draft_leagues.season.queries import SeasonView, load_season
from app.draft_leagues.season.services import changed_weeks
from app.draft_leagues.season.table import Place, Points
from app.draft_leagues.transactions import services as transactions
from app.fantasy.gameweeks import live
from app.fantasy.market import seasons
from app.fantasy.market.formats import Format, format_named
from app.fantasy.market.models import FootballerSeason, Gameweek, SheetDeadline, TeamRules
from app.fantasy.notices import services as notices
from app.fantasy.notices.services import NewNotice
from app.fantasy.notices.words import Words
from app.fantasy.rosters.models import Franchise
from app.fantasy.rosters.queries import names_of, transactions_of
from app.fantasy.rosters.rules import ACTIVE, Transaction, folded
from app.fantasy.sheets import roster_services
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.fixtures import Pair
from app.fantasy.standings.models import League

GAMEWEEK = Refusal("gameweek", "week", "Choose a week that has begun, or the next one.")
NO_LINEUP = Refusal("lineup", "", "This team has no lineup in that week.")
BEST_BALL = Refusal("best_ball", "", "Best ball leagues have no lineups to correct.")
SEEN = Refusal(
    "seen",
    "",
    "The lineup has changed since you opened this page. Check the new preview and send it again.",
)


@dataclass(frozen=True)
class Correction:
    """Who starts for a franchise in a gameweek: ids by starting place, '' for nobody."""

    franchise: int
    week: int
    starters: tuple[str, ...]


@dataclass(frozen=True)
class Act:
    """By whom a line-up is corrected and why.

    `version_seen`: that of the line-up at the preview.
    """

    by_member_id: int
    reason: str
    version_seen: int


@dataclass(frozen=True)
class StoredLineup:
    """A stored line-up, and who could be in it.

    Attributes:
        is_open: The gameweek has not begun.
        stored: The picks by place, as they are stored.
        version: That of the stored line-up.
        eligible: The positions of everybody who was on the line-up, or on the active roster when it
            locked, by id.
        names: Their names.
    """

    gameweek: Gameweek
    is_open: bool
    team_format: Format
    sheet_id: int
    stored: tuple[str, ...]
    version: int
    eligible: Mapping[str, str]
    names: Mapping[str, str]

    def refusals(self, starters: Sequence[str]) -> list[Refusal]:
        """What is wrong with these starters."""
        return lineup_rules.refusals(
            self.team_format, starters, self.stored, self.eligible, self.names
        )

    def with_starters(self, starters: Sequence[str]) -> tuple[str, ...]:
        """The whole line-up with these starters."""
        return lineup_rules.corrected(self.team_format, starters, self.stored)

    def change_words(self, starters: Sequence[str]) -> str:
        """What these starters change, in a sentence."""
        size = len(self.team_format.starters)
        return lineup_rules.change_words(self.stored, starters, self.names, size)


@dataclass(frozen=True)
class ChangedGame:
    """A game of the gameweek whose points change. `away` is None against the average."""

    home: int
    away: int | None
    before: tuple[int, int]
    after: tuple[int, int]


@dataclass(frozen=True)
class ChangedPlace:
    """A franchise whose place or record in the table changes."""

    before: Place
    after: Place


@dataclass(frozen=True)
class Preview:
    """What a correction would change.

    Attributes:
        words: Who starts and who does not, in a sentence.
        points: The franchise's points in the gameweek, before and after, in thousandths.
        seeds: Who reaches the play-offs, before and after; None if that does not change.
        pairs: Games of the play-offs that would be other ones, by the name of their gameweek.
    """

    words: str
    points: tuple[int, int]
    games: Sequence[ChangedGame]
    places: Sequence[ChangedPlace]
    seeds: tuple[Sequence[int], Sequence[int]] | None
    pairs: Mapping[str, Sequence[Pair]]


def stored_lineup(
    league: League, franchise: int, week: int, now: datetime
) -> StoredLineup | Refusal:
    """Load the line-up of a gameweek that has begun, or of the open one.

    An open line-up that is not stored yet is the one before, fitted to the roster; then it is
    stored, and only the caller commits.
    """
    gameweek = next((each for each in gameweeks(league, now) if each.week == week), None)
    if gameweek is None:
        return GAMEWEEK
    row = db.session.get(Franchise, (league.id, franchise))
    if row is None:
        return NO_FRANCHISE
    team_format = format_named(db.session.get_one(TeamRules, league.team_rules_id).format)
    if team_format.is_best_ball:
        return BEST_BALL
    is_open = gameweek.deadline > now
    if is_open and row.member_id is not None:
        roster_services.fit_open(league.team_rules_id, [row.member_id], now)
    sheet = db.session.scalar(
        select(TeamSheet)
        .filter_by(
            member_id=row.member_id, team_rules_id=league.team_rules_id, gameweek_id=gameweek.id
        )
        .execution_options(populate_existing=True)
    )
    if sheet is None:
        return NO_LINEUP
    eligible = _eligible(league, franchise, gameweek, sheet)
    return StoredLineup(
        gameweek,
        is_open,
        team_format,
        sheet.id,
        tuple(sheet.picks),
        sheet.version,
        eligible,
        names_of(eligible),
    )


def gameweeks(league: League, now: datetime) -> list[Gameweek]:
    """The gameweeks whose line-ups can be set, in order: all that have begun, and the open one."""
    begun = seasons.begun(league.season_id, now, league.first_week)
    following = roster_services.open_gameweek(league.team_rules_id, now)
    if following is None or following.deadline <= now or following.week < league.first_week:
        return [*begun]
    return [*begun, following]


def preview(league: League, correction: Correction, now: datetime) -> Preview | list[Refusal]:
    """What the correction would change; everything that it writes is rolled back."""
    lineup = stored_lineup(league, correction.franchise, correction.week, now)
    if isinstance(lineup, Refusal):
        return [lineup]
    if refused := lineup.refusals(correction.starters):
        return refused
    words = lineup.change_words(correction.starters)
    try:
        gameweek = live.locked(lineup.gameweek.id)
        before = load_season(league.id)
        _write(lineup, correction.starters)
        live.score_league(gameweek, league.id)
        after = load_season(league.id)
        return _compared(before, after, correction.franchise, gameweek, words)
    finally:
        db.session.rollback()


def correct(league: League, correction: Correction, act: Act, now: datetime) -> list[Refusal]:
    """Correct a line-up and everything that follows from it, and tell the league.

    Sent again, the correction is refused.
    """
    if refused := reason_refusals(act.reason, REASON):
        return refused
    league_id = league.id
    league_clock.settle(league_id, now)
    try:
        draft_league = locked(league_id)
        lineup = stored_lineup(league, correction.franchise, correction.week, now)
        if isinstance(lineup, Refusal):
            return [lineup]
        if lineup.version != act.version_seen:
            return [SEEN]
        if refused := lineup.refusals(correction.starters):
            return refused
        teams = franchises.teams(league_id)
        team = teams[correction.franchise - 1].name
        change = lineup.change_words(correction.starters)
        done = "The lineup was set." if lineup.is_open else change
        reason = f"{team} in {lineup.gameweek.name}: {done} {act.reason.strip()}"
        _write(lineup, correction.starters)
        entry = Transaction("commissioner", by_member_id=act.by_member_id, reason=reason)
        recorded = transactions.record(draft_league, [entry], now)
        assert isinstance(recorded, list)  # an act that moves nobody is not refused
        key = f"lineup:{league_id}:{recorded[0]}"
        if lineup.is_open:
            owner = teams[correction.franchise - 1].member_id
            new_notices = _notices(league, key, f"{change} {act.reason.strip()}", [owner])
        else:
            new_notices = _notices(league, key, reason, [each.member_id for each in teams])
        notices.notify(new_notices, now)
        live.refresh_league(league_id, now)  # commits
    finally:
        db.session.rollback()
    return []


def _notices(
    league: League, key: str, reason: str, members: Sequence[int | None]
) -> list[NewNotice]:
    words = Words(f"{isolated(league.name)}: the commissioner set a lineup", reason)
    path = f"/leagues/{league.slug}/standings"
    return [
        NewNotice.of(member, "adjustment", key, words, path)
        for member in members
        if member is not None
    ]


def _eligible(
    league: League, franchise: int, gameweek: Gameweek, sheet: TeamSheet
) -> dict[str, str]:
    locks_at = db.session.get_one(SheetDeadline, (league.team_rules_id, gameweek.id)).locks_at
    log = transactions_of(league.id, until=locks_at)
    rosters = folded(recorded.transaction for recorded in log)
    active = [who for who, place in rosters.of(franchise).items() if place.spot == ACTIVE]
    rows = db.session.execute(
        select(FootballerSeason.footballer_id, FootballerSeason.position)
        .where(
            FootballerSeason.season_id == league.season_id,
            FootballerSeason.footballer_id.in_({*filter(None, sheet.picks), *active}),
        )
        .order_by(FootballerSeason.footballer_id)
    )
    return {row.footballer_id: row.position for row in rows}


def _write(lineup: StoredLineup, starters: Sequence[str]) -> None:
    """Replace the stored picks, which the guard of team sheets lets pass for this statement."""
    db.session.execute(text("SELECT set_config('pressbox.corrects_lineup', 'on', true)"))
    db.session.execute(
        update(TeamSheet)
        .where(TeamSheet.id == lineup.sheet_id)
        .values(picks=list(lineup.with_starters(starters)), version=TeamSheet.version + 1)
    )
    db.session.execute(text("SELECT set_config('pressbox.corrects_lineup', '', true)"))


def _compared(
    before: SeasonView, after: SeasonView, franchise: int, gameweek: Gameweek, words: str
) -> Preview:
    old, new = before.points.get(gameweek.id, {}), after.points.get(gameweek.id, {})
    games = [
        ChangedGame(home, away, _score(old, (home, away)), _score(new, (home, away)))
        for home, away in before.pairs.get(gameweek.id, ())
        if _score(old, (home, away)) != _score(new, (home, away))
    ]
    places = {place.franchise: place for place in before.table}
    moved = [
        ChangedPlace(places[place.franchise], place)
        for place in after.table
        if (place.place, place.record)
        != (places[place.franchise].place, places[place.franchise].record)
    ]
    seeds = (before.playoffs.seeds, after.playoffs.seeds)
    return Preview(
        words,
        (old.get(franchise, 0), new.get(franchise, 0)),
        games,
        moved,
        seeds if seeds[0] != seeds[1] else None,
        {changed.gameweek.name: changed.after for changed in changed_weeks(after)},
    )


def _score(points: Points, pair: Pair) -> tuple[int, int]:
    """The points of both sides; the average's are not known here, and 0."""
    home, away = pair
    return points.get(home, 0), points.get(away, 0) if away is not None else 0
