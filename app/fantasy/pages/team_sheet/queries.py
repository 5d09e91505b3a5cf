"""Loads the editor of a team sheet."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

import msgspec
from sqlalchemy import Select

from app.core import clock
from app.core.db import db
from app.core.db.json_rows import select_json
from app.core.page_cache.values import CachedValue, cached_value
from app.fantasy.leagues.words import undated_words
from app.fantasy.market import listing as market_list
from app.fantasy.market.gameweeks import GAMES_TAGS, GameweekRow, shared_games_of
from app.fantasy.market.listing import Filter, Listed
from app.fantasy.pages.team_sheet.filling import filled
from app.fantasy.pages.team_sheet.forms import EditorForm, saved_draft
from app.fantasy.pages.team_sheet.page import (
    Board,
    Change,
    Deadline,
    EditorPage,
    MarketFilters,
    Notes,
    Search,
    editor,
    first_free,
    next_empty,
)
from app.fantasy.pages.team_sheet.words import (
    armband_words,
    change_words,
    draft_words,
    position_choices,
    time_left,
)
from app.fantasy.projections.queries import projected_points
from app.fantasy.projections.rules import Projection
from app.fantasy.projections.teams import projected_teams
from app.fantasy.projections.words import projected_words
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.sheets import context as sheet_context
from app.fantasy.sheets.fitting import Fitting, fitting
from app.fantasy.sheets.my_teams import MyTeam
from app.fantasy.sheets.rules import kickoff_refusals, placed, without_late_moves
from app.fantasy.sheets.services import Refused
from app.fantasy.sheets.transfers import Candidate, Draft, SheetContext, costs_of, worth
from app.fantasy.standings.queries import SheetRow
from app.record.queries import GameRow


@dataclass(frozen=True)
class EditedTeam:
    """The team that a member edits, and when."""

    member_id: int
    team: MyTeam
    gameweek: GameweekRow
    now: datetime


def load_editor(edited: EditedTeam, form: EditorForm, refused: Refused | None = None) -> EditorPage:
    """Load the editor with the draft of the form, after the one act that the form may hold.

    A draft that was refused is shown instead, with the reasons.
    """
    team, gameweek, now = edited.team, edited.gameweek, edited.now
    season_id, games = team.season_id, shared_games_of(gameweek)
    context = sheet_context.context_of(edited.member_id, team.team_rules_id, gameweek.id, now)
    current, fixtures = context.current, market_list.fixtures(games)
    expires_at = _expires_at(context, games, now)
    refusals = refused.refusals if refused else ()
    chosen = 0 if refused else form.chosen
    before = refused.draft if refused else form.draft(current)
    saved = saved_draft(form.roster, current)
    if before.base is None and before.version == saved.version:
        before = replace(before, base=saved)
    draft, chosen = _apply_act(form, before, chosen, season_id)
    cannot_fill = False
    if form.fills and context.previous is None and context.roster is None:
        everybody = market_list.everybody(season_id, team.season_rules)
        filled_draft = filled(draft, context, everybody, fixtures, now)
        draft, chosen, cannot_fill = filled_draft or draft, 0, filled_draft is None
    rules = team.rules or team.season_rules
    newcomer = form.pick if draft == before and form.pick not in draft.picks else ""
    picks = {*draft.picks, *before.picks, newcomer, *sheet_context.picks_of_sheets(context)}
    picked = _load_picked(picks, rules, edited)
    context = _with_candidates(context, picked.candidates)
    late_moves: tuple[str, ...] = ()
    if context.closed:  # only what was saved counts
        draft = saved
    elif context.locks_each:
        late_moves = tuple(refusal.text for refusal in kickoff_refusals(draft, context))
        draft = without_late_moves(draft, context)
    listed = {row.id: row for row in picked.listed}
    fits = _fitting(form, draft, listed, chosen)
    if fits.is_chosen and context.locks_each:
        begun = _begun_on_market(edited, expires_at)
        fits = replace(fits, left_out=(*fits.left_out, *begun))
    filters = _filters(form, draft, chosen, fits, season_id)
    if context.roster is not None:
        filters = _within(filters, context.roster, chosen)
    elif filters.is_affordable_only:
        filters = _without_too_dear(filters, draft, context, chosen)
    if form.args or context.roster is not None:
        market = _load_market_page(rules, filters.filter, edited)
    else:
        market = _shared_market_page(rules, filters.filter, edited, expires_at)
    context = _with_candidates(context, market.candidates)
    search = Search(market.rows, market.count, chosen, filters.filter, fits.words, newcomer)
    projections = projected_points(
        season_id,
        gameweek,
        market_list.possible_ids([*draft.picks, *before.picks, *(row.id for row in market.rows)]),
        rules_named(rules),
        counts_moved=context.counts_moved,
    )
    saved_words = draft_words(saved)
    notes = Notes(refusals, late_moves, is_changed=draft_words(draft) != saved_words)
    return EditorPage(
        draft=draft,
        editor=editor(draft, context, Board(listed, fixtures, projections), search, notes),
        deadline=_deadline(context, gameweek.name, games, now),
        filters=filters,
        projected=_projected_total(draft, context, projections),
        saved_draft=saved_words,
        saved_version=current.version if current else 0,
        is_saved=current is not None and form.saved_version == str(current.version),
        cannot_fill=cannot_fill,
        change=None if late_moves else _change(form, before, draft, context),
        expires_at=expires_at,
    )


@dataclass(frozen=True)
class Picked:
    """The footballers whom a draft and the member's sheets name, as far as they exist."""

    listed: list[Listed]
    candidates: list[Candidate]


_picked = msgspec.json.Decoder(Picked)


@cache  # building the statement takes as long as running it
def _select_picked() -> Select[Any]:
    return select_json(
        {
            "listed": market_list.select_listed(),
            "candidates": sheet_context.CANDIDATES.columns(),
        }
    )


def _load_picked(ids: Iterable[str], rules: str, edited: EditedTeam) -> Picked:
    """Load these footballers in one statement."""
    values = sheet_context.candidate_values(ids, edited.gameweek, edited.now) | {"rules": rules}
    return _picked.decode(db.session.execute(_select_picked(), values).scalar_one())


def _with_candidates(context: SheetContext, candidates: Iterable[Candidate]) -> SheetContext:
    """The context with these footballers as well."""
    by_id = {candidate.id: candidate for candidate in candidates}
    return replace(context, market={**context.market, **by_id})


@dataclass(frozen=True)
class MarketPage:
    """A page of the market. `count`: how many match in all; `candidates`: the same as `rows`."""

    rows: list[Listed]
    count: int
    candidates: list[Candidate]


def _load_market_page(rules: str, market_filter: Filter, edited: EditedTeam) -> MarketPage:
    rows, count = market_list.footballers(edited.team.season_id, rules, market_filter)
    ids = [row.id for row in rows]
    candidates = sheet_context.candidates(ids, edited.gameweek, edited.now)
    return MarketPage(rows, count, candidates)


def _shared_market_page(
    rules: str, market_filter: Filter, edited: EditedTeam, expires_at: datetime
) -> MarketPage:
    """The page from the page cache, for all members whose team has the same filter."""
    filter_hash = hashlib.sha256(msgspec.json.encode(market_filter)).hexdigest()

    def load() -> CachedValue[MarketPage]:
        page = _load_market_page(rules, market_filter, edited)
        return CachedValue(page, _market_tags(edited), expires_at)

    key = f"market-page:{edited.gameweek.id}:{rules}:{filter_hash}"
    return cached_value(key, MarketPage, load)


def _begun_on_market(edited: EditedTeam, expires_at: datetime) -> list[str]:
    """Those whose game has begun, from the page cache."""

    def load() -> CachedValue[list[str]]:
        begun = sheet_context.begun_on_market(edited.gameweek, edited.now)
        return CachedValue(begun, _market_tags(edited), expires_at)

    return cached_value(f"begun-on-market:{edited.gameweek.id}", list[str], load)


def _market_tags(edited: EditedTeam) -> tuple[str, ...]:
    return (*GAMES_TAGS, "footballers", f"market:{edited.team.season_id}")


def _expires_at(context: SheetContext, games: Sequence[GameRow], now: datetime) -> datetime:
    """The next minute, deadline or kickoff, at which the page changes."""
    moments = [game.kickoff for game in games]
    if context.locks_at is not None:
        moments.append(context.locks_at)
    return min([clock.next_minute(now), *(moment for moment in moments if moment > now)])


def _change(form: EditorForm, before: Draft, draft: Draft, context: SheetContext) -> Change | None:
    """What the act of the form changed, if it had one."""
    if not form.is_act:
        return None
    names = {footballer_id: each.name for footballer_id, each in context.market.items()}
    words = change_words(before.picks, draft.picks, names) or armband_words(before, draft, names)
    return Change(words, before) if words else None


def _projected_total(
    draft: Draft, context: SheetContext, projections: Mapping[str, Projection]
) -> str:
    """What the team is expected to have in the end, in words.

    It is empty without captains, because nobody knows then who counts twice.
    """
    if not (context.format.is_draft or (draft.captain and draft.vice_captain)):
        return ""
    picks = tuple(pick if pick in context.market else "" for pick in draft.picks)
    if not any(pick in projections for pick in picks):
        return ""
    cost = costs_of(draft.picks, context).transfer_cost
    sheet = SheetRow(0, picks, draft.captain or 1, draft.vice_captain or 1, cost)
    positions = {pick: context.market[pick].position for pick in picks if pick}
    [team] = projected_teams(context.format, [sheet], projections, positions, {0: -cost})
    return projected_words(team.points)


def _within(filters: MarketFilters, roster: frozenset[str], chosen: int) -> MarketFilters:
    """The filters of a draft league's market, which is the roster and has no prices.

    Without a chosen place everybody is listed, also those who are in the line-up.
    """
    market_filter = replace(filters.filter, among=roster, max_price=0)
    if not chosen and not filters.position:
        market_filter = replace(market_filter, positions=(), without=())
    return replace(filters, filter=market_filter, fault="", is_affordable_only=False)


def _without_too_dear(
    filters: MarketFilters, draft: Draft, context: SheetContext, chosen: int
) -> MarketFilters:
    """The filters with the money that there is for the chosen place as the highest price."""
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
    """Return the draft after the act of the form, and the place to be chosen next."""
    if form.new_captain or form.new_vice_captain:
        return _with_armband(draft, form.new_captain, form.new_vice_captain), 0
    picks, chosen = _picks_after_act(form, draft.picks, chosen, season_id)
    return replace(draft, picks=picks), chosen


def _picks_after_act(
    form: EditorForm, picks: tuple[str, ...], chosen: int, season_id: int
) -> tuple[tuple[str, ...], int]:
    """Return the picks after `swap`, `replace`, `drop` or `pick`, and the place to choose next."""
    if form.swap:
        place, other = form.swap
        is_full = picks[place - 1] and picks[other - 1]
        return (placed(picks, place, picks[other - 1]) if is_full else picks), 0
    if form.replacement:
        return placed(picks, *form.replacement), 0
    if form.drop:
        return placed(picks, form.drop, ""), form.drop
    if not form.pick:
        return picks, chosen
    if chosen:
        picks = placed(picks, chosen, form.pick)
        return picks, next_empty(picks, chosen)
    listed = market_list.listed(season_id, "", [form.pick]).get(form.pick)
    place = first_free(form.roster, picks, listed.position) if listed else 0
    return (placed(picks, place, form.pick) if place else picks), 0


def _with_armband(draft: Draft, captain: int, vice_captain: int) -> Draft:
    """The draft with a new captain or vice-captain; if they had the other armband, both swap."""
    if captain:
        other = draft.captain if draft.vice_captain == captain else draft.vice_captain
        return replace(draft, captain=captain, vice_captain=other)
    other = draft.vice_captain if draft.captain == vice_captain else draft.captain
    return replace(draft, captain=other, vice_captain=vice_captain)
