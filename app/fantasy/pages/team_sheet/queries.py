"""Loads the editor of a team sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from app.core.refusals import Refusal
from app.fantasy.leagues.words import undated_words
from app.fantasy.market import listing as market_list
from app.fantasy.market.gameweeks import gameweek_row, shared_games_of
from app.fantasy.market.listing import Fixture, Listed
from app.fantasy.market.models import Gameweek
from app.fantasy.pages.team_sheet.filling import filled
from app.fantasy.pages.team_sheet.forms import EditorForm, saved_draft
from app.fantasy.pages.team_sheet.page import (
    Board,
    Change,
    Deadline,
    EditorPage,
    MarketFilters,
    Search,
    editor,
    first_free,
    next_empty,
)
from app.fantasy.pages.team_sheet.words import (
    change_words,
    draft_words,
    position_choices,
    time_left,
)
from app.fantasy.projections.queries import projected_points
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.sheets import context as sheet_context
from app.fantasy.sheets.fitting import Fitting, fitting
from app.fantasy.sheets.my_teams import MyTeam
from app.fantasy.sheets.rules import placed
from app.fantasy.sheets.transfers import Draft, SheetContext, costs_of, worth
from app.record.queries import GameRow


@dataclass(frozen=True)
class EditedTeam:
    """The team that a member edits, and when."""

    member_id: int
    team: MyTeam
    gameweek: Gameweek
    now: datetime


def load_editor(
    edited: EditedTeam, form: EditorForm, refusals: tuple[Refusal, ...] = ()
) -> EditorPage:
    """Load the editor with the draft of the form, after the one act that the form may hold."""
    team, gameweek, now = edited.team, edited.gameweek, edited.now
    season_id, games = team.season_id, shared_games_of(gameweek)
    context = sheet_context.context_of(edited.member_id, team.team_rules_id, gameweek.id, now)
    current, fixtures = context.current, market_list.fixtures(games)
    chosen = 0 if refusals else form.chosen
    before = form.draft(current)
    draft, chosen = _apply_act(form, before, chosen, season_id)
    cannot_fill = False
    if form.fills and context.previous is None and context.roster is None:
        market = market_list.everybody(season_id, team.season_rules)
        filled_draft = filled(draft, context, market, fixtures, now)
        draft, chosen, cannot_fill = filled_draft or draft, 0, filled_draft is None
    rules = team.rules or team.season_rules
    listed = market_list.listed(season_id, rules, draft.picks)
    fits = _fitting(form, draft, listed, chosen)
    if fits.is_chosen and context.locks_each:
        begun = sheet_context.begun_on_market(gameweek, now)
        fits = replace(fits, left_out=(*fits.left_out, *begun))
    filters = _filters(form, draft, chosen, fits, season_id)
    if context.roster is not None:
        filters = _within(filters, context.roster, chosen)
    elif filters.is_affordable_only:
        filters = _without_too_dear(filters, draft, context, chosen, now)
    rows, count = market_list.footballers(season_id, rules, filters.filter)
    names = [*draft.picks, *before.picks, *(row.id for row in rows)]
    context = sheet_context.with_players(context, names, now)
    search = Search(rows, count, chosen, filters.filter, fits.words)
    projections = projected_points(
        season_id,
        gameweek_row(gameweek),
        [name for name in names if name and "\x00" not in name],
        rules_named(rules),
        counts_moved=context.counts_moved,
    )
    return EditorPage(
        draft=draft,
        editor=editor(draft, context, Board(listed, fixtures, projections), search, refusals),
        deadline=_deadline(context, gameweek.name, games, now),
        filters=filters,
        saved_draft=draft_words(saved_draft(form.roster, current)),
        is_saved=current is not None and form.saved_version == str(current.version),
        cannot_fill=cannot_fill,
        change=_change(form, before, draft, context),
        changes_at=_changes_at(context, fixtures, now),
    )


def _changes_at(
    context: SheetContext, fixtures: Mapping[str, Fixture], now: datetime
) -> list[datetime]:
    """The deadline and the kickoffs to come."""
    moments = {fixture.kickoff for fixture in fixtures.values()}
    if context.locks_at is not None:
        moments.add(context.locks_at)
    return [moment for moment in moments if moment > now]


def _change(form: EditorForm, before: Draft, draft: Draft, context: SheetContext) -> Change | None:
    """What the act of the form changed, if it had one."""
    if not (form.pick or form.drop or form.swap):
        return None
    names = {footballer_id: each.name for footballer_id, each in context.market.items()}
    words = change_words(before.picks, draft.picks, names)
    return Change(words, before) if words else None


def _within(filters: MarketFilters, roster: frozenset[str], chosen: int) -> MarketFilters:
    """The filters of a draft league's market, which is the roster and has no prices.

    Without a chosen place everybody is listed, also those who are in the line-up.
    """
    market_filter = replace(filters.filter, among=roster, max_price=0)
    if not chosen and not filters.position:
        market_filter = replace(market_filter, positions=(), without=())
    return replace(filters, filter=market_filter, fault="", is_affordable_only=False)


def _without_too_dear(
    filters: MarketFilters, draft: Draft, context: SheetContext, chosen: int, now: datetime
) -> MarketFilters:
    """The filters with the money that there is for the chosen place as the highest price."""
    context = sheet_context.with_players(context, draft.picks, now)
    money = costs_of(draft.picks, context).bank
    occupant = context.market.get(draft.picks[chosen - 1])
    money += worth(occupant, context) if occupant else 0
    # 0 would be no limit, and nobody costs as little as this
    most = min(filters.filter.max_price or money, max(money, 1))
    return replace(filters, filter=replace(filters.filter, max_price=max(most, 1)))


def _fitting(form: EditorForm, draft: Draft, listed: Mapping[str, Listed], chosen: int) -> Fitting:
    positions = {footballer_id: row.position for footballer_id, row in listed.items()}
    return fitting(form.roster, draft.picks, positions, chosen)


def _filters(
    form: EditorForm, draft: Draft, chosen: int, fits: Fitting, season_id: int
) -> MarketFilters:
    market_filter, fault = form.market_filter(chosen, fits)
    is_affordable_only = form.is_affordable_only
    if is_affordable_only is None:  # the last place, or an exchange: what is left must do
        is_affordable_only = all(pick for n, pick in enumerate(draft.picks, 1) if n != chosen)
    return MarketFilters(
        market_filter,
        fault,
        form.position,
        form.max_price,
        is_affordable_only and bool(chosen),
        position_choices(form.roster, chosen),
        market_list.clubs(season_id),
    )


def _deadline(
    context: SheetContext, gameweek: str, games: Sequence[GameRow], now: datetime
) -> Deadline:
    locks_at = context.locks_at
    assert locks_at is not None  # context_of sets it
    return Deadline(
        locks_at,
        is_past=now >= locks_at,
        left=time_left(locks_at, now),
        undated=undated_words(games, gameweek, counts_moved=context.counts_moved),
    )


def _apply_act(form: EditorForm, draft: Draft, chosen: int, season_id: int) -> tuple[Draft, int]:
    """Return the draft after `pick`, `drop` or `swap`, and the place to be chosen next."""
    if form.swap:
        place, other = form.swap
        if not (draft.picks[place - 1] and draft.picks[other - 1]):
            return draft, 0
        return replace(draft, picks=placed(draft.picks, place, draft.picks[other - 1])), 0
    if form.drop:
        return replace(draft, picks=placed(draft.picks, form.drop, "")), form.drop
    if not form.pick:
        return draft, chosen
    if chosen:
        picks = placed(draft.picks, chosen, form.pick)
        return replace(draft, picks=picks), next_empty(picks, chosen)
    listed = market_list.listed(season_id, "", [form.pick]).get(form.pick)
    place = first_free(form.roster, draft.picks, listed.position) if listed else 0
    if place:
        draft = replace(draft, picks=placed(draft.picks, place, form.pick))
    return draft, 0
