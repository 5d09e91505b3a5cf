"""Changes settings of a draft league after its draft, with a preview of what follows.

The preview is the same change, rolled back.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import msgspec
from msgspec.structs import replace
from sqlalchemy import delete

from app.core.bidi import isolated
from app.core.db import db
from app.core.refusals import Refusal
from app.draft_leagues import league_clock, setting_changes, setting_words
from app.draft_leagues.franchises.services import locked, teams
from app.draft_leagues.models import DRAFTING, FINISHED, SEASON, DraftLeague
from app.draft_leagues.season import services as season_services
from app.draft_leagues.season.queries import SeasonView, load_season
from app.draft_leagues.season_facts import faults_in_season, scoring_titles
from app.draft_leagues.setting_changes import LINEUP, Progress
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.setup.services import CHANGED, divide, team_rules_choice
from app.draft_leagues.transactions.services import Refused, record, settings_of
from app.draft_leagues.waivers.queries import open_claims
from app.fantasy.gameweeks import live
from app.fantasy.market import seasons
from app.fantasy.market.models import TeamRules
from app.fantasy.notices import services as notices
from app.fantasy.notices.services import NewNotice
from app.fantasy.notices.words import Words
from app.fantasy.rosters.queries import rosters_of
from app.fantasy.rosters.rules import BudgetMove, Transaction
from app.fantasy.sheets import roster_services
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.models import League, Matchup

DRAFTS_NOW = Refusal("drafting", "", "The draft is on. You can change settings when it is over.")


@dataclass(frozen=True)
class MovedPlace:
    """A franchise whose place in the table becomes another."""

    franchise: int
    before: int
    after: int


@dataclass(frozen=True)
class MovedScore:
    """Points of a franchise in a gameweek that become others, in thousandths."""

    franchise: int
    gameweek: str
    before: int
    after: int


@dataclass(frozen=True)
class Effects:
    """What a change of the settings changes besides them.

    Attributes:
        places: The table, as it would be else.
        scores: Results of gameweeks, as they would be else.
        seeds: Who reaches the play-offs, before and after; None if that does not change.
        added_weeks: Gameweeks that get games of the regular season.
        removed_weeks: Gameweeks whose games of the regular season are dropped.
        budgets: How much waiver budget each franchise gains; less than 0 for a loss.
        is_redrawn: Whether the games of the whole season are drawn again.
    """

    places: Sequence[MovedPlace] = ()
    scores: Sequence[MovedScore] = ()
    seeds: tuple[Sequence[int], Sequence[int]] | None = None
    added_weeks: Sequence[str] = ()
    removed_weeks: Sequence[str] = ()
    budgets: Mapping[int, int] = field(default_factory=dict)
    is_redrawn: bool = False


def preview(
    league_id: int, settings: DraftLeagueSettings, now: datetime
) -> Effects | list[Refusal]:
    """What these settings would change; everything that it writes is rolled back."""
    try:
        draft_league = locked(league_id)
        before = load_season(league_id)
        old = settings_of(draft_league)
        budgets = _grants(league_id, old, settings)
        if refused := _apply(draft_league, settings, now):
            return refused
        effects = _effects(before, load_season(league_id), budgets)
        return dataclasses.replace(effects, is_redrawn=redraws_schedule(old, settings))
    finally:
        db.session.rollback()


def change(
    league_id: int,
    settings: DraftLeagueSettings,
    by_member_id: int,
    now: datetime,
    *,
    expected: DraftLeagueSettings | None = None,
) -> list[Refusal]:
    """Change the settings after the draft and everything that follows, and tell the league.

    Settings that are as they were change nothing. `expected`: the settings to which the caller
    made changes; it is refused if they are others by now.
    """
    league_clock.settle(league_id, now)  # by the settings that were in force
    try:
        draft_league = locked(league_id)
        old = settings_of(draft_league)
        if settings == old:
            return []
        if expected is not None and old != expected:
            return [CHANGED]
        if refused := _apply(draft_league, settings, now):
            return refused
        text = _change_words(old, settings)
        if redraws_schedule(old, settings):
            text = f"{text} {_redrawn_words(league_id)}"
        _tell(draft_league, text, by_member_id, now)
        live.refresh_league(league_id, now)  # commits
    finally:
        db.session.rollback()
    season_services.update(league_id, now)
    return []


def _apply(
    draft_league: DraftLeague, settings: DraftLeagueSettings, now: datetime
) -> list[Refusal]:
    """Write the settings and what depends on them, or say why not. Only the caller commits."""
    if draft_league.phase == DRAFTING:
        return [DRAFTS_NOW]
    assert draft_league.phase in (SEASON, FINISHED)
    league = db.session.get_one(League, draft_league.league_id)
    old = settings_of(draft_league)
    refused = setting_changes.refusals(old, settings, _progress(league, draft_league, now))
    if refused := refused or _new_faults(league, old, settings, now):
        return refused
    regular_before = {week.id for week in load_season(league.id).regular}
    draft_league.settings = msgspec.to_builtins(settings)
    team_rules = db.session.get_one(TeamRules, league.team_rules_id)
    choice = team_rules_choice(settings)
    has_other_format = team_rules.format != choice.format
    team_rules.format, team_rules.time_zone = choice.format, choice.time_zone
    db.session.flush()
    if refused := _grant(draft_league, _grants(league.id, old, settings), now):
        return refused
    if redraws_schedule(old, settings):
        divide(league.id, settings)
        db.session.execute(delete(Matchup).where(Matchup.league_id == league.id))
        season_services.write_missing_weeks(league.id)
    elif settings.season.regular_weeks != old.season.regular_weeks:
        _reschedule(league.id, regular_before)
    if any(getattr(old.roster, name) != getattr(settings.roster, name) for name in LINEUP):
        _fit_again(league, now)
    elif has_other_format:
        _rescore(league, now)
    return []


def redraws_schedule(old: DraftLeagueSettings, new: DraftLeagueSettings) -> bool:
    """Whether other divisions or rivals make another schedule of the whole season."""
    return any(
        getattr(old.season, name) != getattr(new.season, name) for name in setting_changes.PAIRS
    )


def _change_words(old: DraftLeagueSettings, new: DraftLeagueSettings) -> str:
    changes = setting_words.changes(old, new, scoring_titles(new))
    parts = [f"{each.label}: {each.after or 'none'}" for each in changes]
    return f"Settings changed. {'; '.join(parts)}."


def _redrawn_words(league_id: int) -> str:
    names: dict[int, list[str]] = {}
    for team in teams(league_id):
        if team.division:
            names.setdefault(team.division, []).append(isolated(team.name))
    divisions = [f"Division {number}: {', '.join(each)}." for number, each in sorted(names.items())]
    return " ".join(["The season's schedule was redrawn.", *divisions])


def _tell(draft_league: DraftLeague, text: str, by_member_id: int, now: datetime) -> None:
    """Write the change into the log, and notify every member."""
    league = db.session.get_one(League, draft_league.league_id)
    entry = Transaction("commissioner", by_member_id=by_member_id, reason=text)
    numbers = record(draft_league, [entry], now)
    assert isinstance(numbers, list)  # an act that moves nobody is not refused
    notice_words = Words(f"{isolated(league.name)}: settings changed", text)
    notices.notify(
        [
            NewNotice.of(
                team.member_id,
                "rules",
                f"settings:{league.id}:{numbers[0]}",
                notice_words,
                f"/leagues/{league.slug}/setup",
            )
            for team in teams(league.id)
            if team.member_id is not None
        ],
        now,
    )


def _progress(league: League, draft_league: DraftLeague, now: datetime) -> Progress:
    rosters = rosters_of(league.id)
    counts = Counter((place.spot, place.franchise) for place in rosters.places.values())
    names = {team.number: team.name for team in teams(league.id)}
    spots: dict[str, tuple[int, str]] = {}
    for (spot, franchise), count in counts.items():
        if count > spots.get(spot, (0, ""))[0]:
            spots[spot] = count, names[franchise]
    return Progress(
        is_over=draft_league.phase == FINISHED,
        weeks_begun=len(seasons.begun(league.season_id, now, league.first_week)),
        regular_weeks=settings_of(draft_league).season.regular_weeks,
        spots=spots,
        open_claims=len(open_claims(league.id)),
    )


def _new_faults(
    league: League, old: DraftLeagueSettings, new: DraftLeagueSettings, now: datetime
) -> list[Refusal]:
    """What is impossible about the new settings and was not about the old ones.

    The market may have become too small for a league in mid-season; that is no fault of a change.
    """
    faults = []
    for settings in (old, new):
        season = replace(settings.season, first_week=league.first_week)
        whole = replace(settings, season=season)
        faults.append(faults_in_season(whole, league.season_id, now))
    before = {refusal.field for refusal in faults[0]}
    return [refusal for refusal in faults[1] if refusal.field not in before]


def _grants(league_id: int, old: DraftLeagueSettings, new: DraftLeagueSettings) -> dict[int, int]:
    """How much waiver budget each franchise gains by the change; less than 0 for a loss."""
    if new.waivers.kind != "blind_bids":
        return {}
    balances = rosters_of(league_id).budgets
    had_bids = old.waivers.kind == "blind_bids"
    amounts = {
        team.number: new.waivers.budget
        - (old.waivers.budget if had_bids else balances.get(team.number, 0))
        for team in teams(league_id)
    }
    return {number: amount for number, amount in amounts.items() if amount}


def _grant(draft_league: DraftLeague, amounts: Mapping[int, int], now: datetime) -> list[Refusal]:
    if not amounts:
        return []
    grant = Transaction(
        "budget",
        budgets=tuple(BudgetMove(number, amount) for number, amount in amounts.items()),
        reason="The season's waiver budget was changed",
    )
    result = record(draft_league, [grant], now)
    return [*result.refusals] if isinstance(result, Refused) else []


def _reschedule(league_id: int, regular_before: set[int]) -> None:
    """Write games for gameweeks that the regular season gains, and drop those that it loses.

    Gameweeks that it keeps keep their games.
    """
    view = load_season(league_id)
    kept_weeks = regular_before & {week.id for week in view.regular}
    db.session.execute(
        delete(Matchup).where(
            Matchup.league_id == league_id, Matchup.gameweek_id.not_in(kept_weeks)
        )
    )
    season_services.write_missing_weeks(league_id)


def _fit_again(league: League, now: datetime) -> None:
    """Write the open line-ups anew, which have other places; no gameweek has begun."""
    db.session.execute(delete(TeamSheet).where(TeamSheet.team_rules_id == league.team_rules_id))
    members = [team.member_id for team in teams(league.id) if team.member_id is not None]
    roster_services.fit_open(league.team_rules_id, members, now)


def _rescore(league: League, now: datetime) -> None:
    """Add up all gameweeks anew, because other places of a line-up count."""
    for gameweek in seasons.begun(league.season_id, now, league.first_week):
        live.score_league(live.locked(gameweek.id), league.id)


def _effects(before: SeasonView, after: SeasonView, budgets: Mapping[int, int]) -> Effects:
    places = {place.franchise: place.place for place in before.table}
    names = {week.id: week.name for week in (*before.regular, *before.playoff_weeks)}
    names |= {week.id: week.name for week in (*after.regular, *after.playoff_weeks)}
    old, new = ({week.id for week in view.regular} for view in (before, after))
    seeds = (before.playoffs.seeds, after.playoffs.seeds)
    return Effects(
        [
            MovedPlace(place.franchise, places[place.franchise], place.place)
            for place in after.table
            if places[place.franchise] != place.place
        ],
        [
            MovedScore(franchise, names[gameweek_id], before.points[gameweek_id][franchise], points)
            for gameweek_id, scores in after.points.items()
            for franchise, points in sorted(scores.items())
            if points != before.points.get(gameweek_id, {}).get(franchise, points)
        ],
        seeds if seeds[0] != seeds[1] else None,
        [week.name for week in after.regular if week.id not in old],
        [week.name for week in before.regular if week.id not in new],
        budgets,
    )
