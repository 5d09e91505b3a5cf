"""Views of tournaments: the list, a round with its guesses, everybody's guesses of a match."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

from flask import Blueprint, Response, abort, redirect, url_for
from flask.typing import ResponseReturnValue

from app.accounts.players import player_of, player_of_member
from app.core import clock
from app.core.http.access import MEMBER, audience
from app.core.http.htmx import htmx_response, request
from app.core.http.pagination import page_count, page_number
from app.core.http.rate_limits import limiter
from app.core.http.responses import fragment_etag, respond
from app.core.http.sent_numbers import query_number
from app.core.page_cache.pages import OwnPage, PageContent, cached_page, cached_viewer
from app.core.viewer import current_user
from app.predictions import counted_score, entries, guesses, points, pools, survivors, tournaments
from app.predictions.counted_score import CountedScore
from app.predictions.guesses import LOCKED
from app.predictions.models import Tournament
from app.predictions.pages import board, page, queries, words
from app.predictions.pages.board import OwnPlace
from app.predictions.pages.forms import (
    HALF,
    confidence_field,
    field_names,
    pick_field,
    read_guesses,
    shown_field,
    shown_guess,
)
from app.predictions.pages.page import Entry, Scoring
from app.predictions.pages.queries import MatchRow, RoundRow, RoundState, TournamentCard
from app.predictions.pages.rounds import ShownRound, shown_round, survival_of
from app.predictions.points import GuessKind

blueprint = Blueprint("tournaments", __name__)
blueprint.add_app_template_filter(words.amount, "hundredths")
blueprint.add_app_template_filter(words.amount_words, "hundredths_words")
blueprint.add_app_template_filter(words.guess, "guess_words")
blueprint.add_app_template_global(field_names, "guess_fields")
blueprint.add_app_template_global(shown_field)
blueprint.add_app_template_global(shown_guess)
blueprint.add_app_template_global(pick_field)
blueprint.add_app_template_global(confidence_field)

ON_FRONT_PAGE = 3


def my_player_id() -> UUID | None:
    """Return the id of the viewer's player; None if they have none yet."""
    player = player_of_member(current_user.id) if current_user.is_authenticated else None
    return None if player is None else player.id


def tournament_or_404(tournament_id: UUID) -> Tournament:
    """Load the tournament, or abort with 404."""
    return tournaments.find(tournament_id) or abort(404)


@blueprint.app_template_global()
def my_tournaments(member_id: int) -> list[TournamentCard]:
    """Load the member's running tournaments for the front page.

    Before the member's first guess, these are all running ones.
    """
    cards = queries.tournaments(member_id, clock.now(), ON_FRONT_PAGE, running=True)
    return [card for card in cards if card.points is not None] or cards


@blueprint.get("/tournaments")
@audience(MEMBER)
def index() -> ResponseReturnValue:
    """Show the list of tournaments."""
    return respond(
        "tournaments/index.html", tournaments=queries.tournaments(current_user.id, clock.now())
    )


@blueprint.get("/tournaments/<uuid:tournament_id>")
@audience(MEMBER)
@cached_viewer()
def home(tournament_id: UUID) -> ResponseReturnValue:
    """Show the current round, or the last one after the last match."""
    return _own_page(tournament_id, None)


@blueprint.get("/tournaments/<uuid:tournament_id>/rounds/<slug>")
@audience(MEMBER)
@cached_viewer()
def show_round(tournament_id: UUID, slug: str) -> ResponseReturnValue:
    """Show a round: guesses can be entered until each kickoff, and earn points from then on.

    Its fragment polls itself.
    """
    if request.htmx:
        state = queries.round_state(tournament_id, slug, clock.now()) or abort(404)
        shown_open, shown_matches = query_number("open"), query_number("of")
        has_fewer_open = shown_open is not None and shown_open < state.open
        if has_fewer_open or shown_matches not in {None, state.matches}:
            # The number of matches, or of those open for guesses, has changed, so the page's forms
            # are out of date.
            return htmx_response("", refresh=True)
    return _own_page(tournament_id, slug)


def _version(state: RoundState) -> str:
    return f"{state.version}-{state.open}-{state.matches}"


def _is_over(state: RoundState) -> bool:
    return 0 < state.matches == state.done


def _round_page(
    tournament: Tournament,
    round_: RoundRow,
    rounds: list[RoundRow],
    entry: Entry | None = None,
    faults: list[str] | None = None,
) -> Response:
    # Read the version before the data: the page may be newer than its ETag, but never older.
    state = queries.round_state(tournament.id, round_.slug, clock.now()) or abort(404)
    mine = board.own_place(tournament.id, current_user.id)
    return respond(
        "tournaments/show.html",
        "live",
        stop_polling=_is_over(state),
        etag=fragment_etag(_version(state)),
        status=422 if faults or (entry is not None and entry.faults) else 200,
        rounds=rounds,
        faults=faults or [],
        is_poll=bool(request.htmx),
        is_saved="saved" in request.args,
        **_round_values(
            tournament, shown_round(tournament, round_, mine.player_id, entry), state, mine
        ),
    )


def _own_page(tournament_id: UUID, slug: str | None) -> Response:
    """Return the member's page of a round, or of the current one, from the page cache."""
    member_id, is_saved = current_user.id, "saved" in request.args
    return cached_page(
        "tournaments/show.html",
        "live",
        OwnPage(f"{is_saved}"),
        lambda: _read_own_page(tournament_id, slug, member_id, is_saved=is_saved),
    )


def _read_own_page(
    tournament_id: UUID, slug: str | None, member_id: int, *, is_saved: bool
) -> PageContent:
    now = clock.now()
    tournament = tournament_or_404(tournament_id)
    rounds, current = queries.rounds_now(tournament_id, now)
    mine = board.own_place(tournament_id, member_id)
    tags = {
        "tournaments",
        "names",
        "guesses:all",
        f"guesses:{mine.player_id}",
        f"player:{member_id}",
    }
    if not rounds:
        values = {"tournament": tournament, "tab": "guesses"}
        return PageContent(values, tags, template="tournaments/none.html")
    slug = slug or current or rounds[-1].slug
    round_ = next((round_ for round_ in rounds if round_.slug == slug), None) or abort(404)
    state = queries.round_state(tournament_id, slug, now) or abort(404)
    viewed = shown_round(tournament, round_, mine.player_id)
    kickoffs = [card.match.kickoff for card in viewed.cards if card.match.kickoff]
    page_values = {
        "rounds": rounds,
        "faults": [],
        "is_poll": bool(request.htmx),
        "is_saved": is_saved,
        **_round_values(tournament, viewed, state, mine),
    }
    return PageContent(
        page_values,
        tags,
        _version(state),
        is_final=_is_over(state),
        expires_at=min([clock.next_minute(now), *(at for at in kickoffs if at > now)]),
    )


def _round_values(
    tournament: Tournament, viewed: ShownRound, state: RoundState, mine: OwnPlace
) -> dict[str, Any]:
    """Return what the template shows of a round."""
    rule = viewed.scoring.rule
    return {
        "tournament": tournament,
        "tab": "guesses",
        "round": viewed.scoring.round,
        "state": state,
        "is_over": _is_over(state),
        "cards": viewed.cards,
        "missing": viewed.missing,
        "survival": viewed.scoring.survival,
        "field": survivors.field(tournament.id) if rule.guess == GuessKind.SURVIVOR else None,
        "mine": mine.place,
        "rule_words": [
            *points.words(rule),
            counted_score.RULES[CountedScore(tournament.counted_score)],
        ],
        "has_closest": rule.closest > 0,
        "rule_kind": rule.guess,
        "shows_crowd": rule.crowd,
    }


@blueprint.post("/tournaments/<uuid:tournament_id>/rounds/<slug>")
@audience(MEMBER)
@limiter.limit("300 per minute")
def save(tournament_id: UUID, slug: str) -> ResponseReturnValue:
    """Save new or changed guesses of the match in the argument `match`, or of the whole form."""
    tournament = tournament_or_404(tournament_id)
    rounds = queries.rounds(tournament_id)
    round_ = next((item for item in rounds if item.slug == slug), None) or abort(404)
    matches = queries.matches_of_round(round_.id)
    named = request.args.get("match")
    if named is not None:
        matches = [match for match in matches if str(match.id) == named] or abort(404)
    only = matches[0].id if named is not None else None
    entry, locked = _save_guesses(tournament, matches, is_whole_form=only is None)
    if request.htmx:
        # If only one score is typed, the other one will follow, so that is not a fault yet.
        faults = {match_id: text for match_id, text in entry.faults.items() if text != HALF}
        return _saved_fragment(tournament, round_, replace(entry, faults=faults), only, locked)
    if entry.faults:
        return _round_page(tournament, round_, rounds, entry)
    address = url_for("tournaments.show_round", tournament_id=tournament_id, slug=slug, saved=1)
    return redirect(address, 303)


def _save_guesses(
    tournament: Tournament, matches: list[MatchRow], *, is_whole_form: bool
) -> tuple[Entry, set[str]]:
    """Save the guesses of the form.

    Returns:
        The typed texts, faults and saved matches; and the fields of matches that are locked by
        now.
    """
    player = player_of(current_user)
    stored_guesses = queries.guesses_in([match.id for match in matches], player.id)
    kind = pools.rule_of(tournament).guess
    read = read_guesses(request.form, matches, stored_guesses, kind, is_whole_form=is_whole_form)
    new, faults = read.changed, read.faults
    refusals = guesses.save(tournament.id, player.id, new, clock.now()) if new else []
    texts = {refusal.field: refusal.text for refusal in reversed(refusals)}
    for guess in new:
        if text := texts.get(entries.field_of(guess.match_id)):
            faults[guess.match_id] = text
    saved = frozenset(guess.match_id for guess in new if guess.match_id not in faults) | (
        read.typed.keys() & stored_guesses.keys() - faults.keys()
    )
    locked = {refusal.field for refusal in refusals if refusal.code == LOCKED}
    return Entry(read.typed, faults, saved), locked


def _saved_fragment(
    tournament: Tournament, round_: RoundRow, entry: Entry, only: UUID | None, locked: set[str]
) -> Response:
    """Return the fragment below one match with the count of missing guesses.

    If the match is locked by now, it is the whole card. A pick that depends on the others comes
    with all open cards, because it may have changed them.
    """
    viewed = shown_round(tournament, round_, my_player_id(), entry)
    card = next((card_ for card_ in viewed.cards if card_.match.id == only), None) or abort(400)
    is_locked = entries.field_of(card.match.id) in locked
    depends = viewed.scoring.rule.guess in (GuessKind.CONFIDENCE, GuessKind.SURVIVOR)
    response = respond(
        "tournaments/_locked.html" if is_locked else "tournaments/_saved.html",
        status=422 if card.fault else 200,
        tournament=tournament,
        round=round_,
        card=card,
        cards=viewed.cards if depends else [],
        missing=viewed.missing,
        survival=viewed.scoring.survival,
    )
    if is_locked:
        return htmx_response(response, retarget=f"#match-{card.match.id}", reswap="outerHTML")
    return response


@blueprint.get("/tournaments/<uuid:tournament_id>/matches/<uuid:match_id>")
@audience(MEMBER)
def match(tournament_id: UUID, match_id: UUID) -> ResponseReturnValue:
    """Show everybody's guesses of a match and what each earns, from its kickoff on."""
    tournament = tournament_or_404(tournament_id)
    row = queries.match(tournament_id, match_id) or abort(404)
    round_ = next(
        candidate for candidate in queries.rounds(tournament_id) if candidate.id == row.round_id
    )
    now, me, number = clock.now(), my_player_id(), page_number()
    rule = pools.rule_of(tournament)
    terms = page.terms_now(row, rule, round_.multiplier)
    others = queries.guesses_of_match(
        row, terms, now, board.PAGE_ROWS, (number - 1) * board.PAGE_ROWS
    )
    mine = queries.guesses_in([match_id], me).get(match_id)
    return respond(
        "tournaments/match.html",
        tournament=tournament,
        tab="guesses",
        round=round_,
        card=page.card(row, mine, Scoring(rule, round_, survival_of(tournament_id, rule, me)), now),
        me=me,
        shares=others[0] if others else None,
        guesses=others[1] if others else [],
        has_points=terms is not None,
        number=number,
        pages=page_count(others[0].count, board.PAGE_ROWS) if others else 1,
    )
