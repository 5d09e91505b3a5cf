"""A commissioner moves footballers on somebody's behalf, and corrects past line-ups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core.clock import now
from app.core.http.access import MEMBER, audience
from app.core.http.responses import respond
from app.core.http.sent_numbers import form_number
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.draft_leagues.commissioner import lineups, services
from app.draft_leagues.commissioner.lineups import Act, Correction, StoredLineup
from app.draft_leagues.franchises.services import Team
from app.draft_leagues.pages.commissioner_views import load_for_act
from app.draft_leagues.pages.forms import LineupForm, MovesForm
from app.draft_leagues.pages.loading import DraftLeaguePage, load_for_commissioner
from app.draft_leagues.transactions import words
from app.draft_leagues.transactions.services import limits_of
from app.fantasy.market.listing import names_on_market
from app.fantasy.market.name_search import find_names
from app.fantasy.pages.membership.forms import show_refusals
from app.fantasy.rosters import rules
from app.fantasy.rosters.queries import names_of, rosters_of
from app.fantasy.rosters.rules import ACTIVE, Move, Names, Rosters, Spot, Transaction

blueprint = Blueprint(
    "draft_commissioner_acts", __name__, url_prefix="/leagues/<slug>/commissioner"
)

LONGEST_ID = LONGEST_SEARCH = 60
MOST_FOUND = 20
FREE = "free"


@dataclass(frozen=True)
class ChosenLineup:
    """A line-up as it stands, what the commissioner would make of it, and the form that says so."""

    stored: StoredLineup
    correction: Correction
    form: LineupForm


@blueprint.get("/moves")
@audience(MEMBER)
def moves(slug: str) -> ResponseReturnValue:
    """Show the form for moves, with the rosters after them once some are chosen."""
    page = load_for_commissioner(slug)
    return _moves(page, MovesForm(formdata=request.args))


@blueprint.post("/moves")
@audience(MEMBER)
def act(slug: str) -> ResponseReturnValue:
    """Move footballers on behalf of their teams."""
    page, form = load_for_commissioner(slug), MovesForm()
    chosen = _chosen(page, rosters_of(page.league.id), form)
    if not chosen:
        return _moves(page, form)
    result = services.act(
        page.league.id,
        chosen,
        by_member_id=current_user.id,
        reason=form.reason.data,
        now=now(),
    )
    if isinstance(result, list):
        return _moves(page, form, result)
    return redirect(url_for("draft_transactions.index", slug=slug), 303)


@blueprint.get("/line-up/<int:franchise>/<int:week>")
@audience(MEMBER)
def lineup(slug: str, franchise: int, week: int) -> ResponseReturnValue:
    """Show a team's line-up, and what other starters would change once they are chosen."""
    page, form = load_for_act(slug, franchise), LineupForm(formdata=request.args)
    chosen = _chosen_lineup(page, franchise, week, form)
    if not form.starter.data:
        return _lineup(page, chosen)
    preview = lineups.preview(page.league, chosen.correction, now())
    if isinstance(preview, list):
        return _lineup(page, chosen, refused=preview)
    return _lineup(page, chosen, preview=preview)


@blueprint.post("/line-up/<int:franchise>/<int:week>")
@audience(MEMBER)
def correct(slug: str, franchise: int, week: int) -> ResponseReturnValue:
    """Set a team's line-up."""
    page, form = load_for_act(slug, franchise), LineupForm()
    chosen = _chosen_lineup(page, franchise, week, form)
    by_commissioner = Act(current_user.id, form.reason.data, form_number("version") or 0)
    refused = lineups.correct(page.league, chosen.correction, by_commissioner, now())
    if refused:
        preview = lineups.preview(page.league, chosen.correction, now())
        shown_preview = None if isinstance(preview, list) else preview
        return _lineup(page, chosen, preview=shown_preview, refused=refused)
    return redirect(url_for("draft_transactions.index", slug=slug), 303)


def _moves(
    page: DraftLeaguePage, form: MovesForm, refused: Sequence[Refusal] = ()
) -> ResponseReturnValue:
    rosters = rosters_of(page.league.id)
    chosen = _chosen(page, rosters, form)
    search = form.q.data[:LONGEST_SEARCH]
    free_agents = _found(page, rosters, search) if search else []
    known = names_of({*rosters.places, *free_agents, *(move.footballer_id for move in chosen)})
    names = Names(known, {team.number: team.name for team in page.teams})
    entry = Transaction("commissioner", tuple(chosen))
    faults = rules.refusals(rosters, entry, limits_of(page.settings), names) if chosen else ()
    after = rules.applied(rosters, entry) if chosen and not faults else None
    refused = refused or faults
    return respond(
        "draft_leagues/commissioner_moves.html",
        league=page.league,
        teams=page.teams,
        rosters=_named_rosters(page, rosters, known),
        free=sorted((known[who], who) for who in free_agents),
        rows=form.rows,
        targets=_targets(page),
        search=search,
        lines=[*words.lines(entry, known, page.name_of)],
        after=[
            each
            for each in _named_rosters(page, after, known)
            if each[0].number in entry.franchises
        ]
        if after is not None
        else [],
        moved={move.footballer_id for move in chosen},
        spots=words.SPOT_WORDS,
        form=form,
        faults=show_refusals(form, refused),
        tab="settings",
        runs_it=True,
        status=422 if refused else 200,
    )


def _chosen(page: DraftLeaguePage, rosters: Rosters, form: MovesForm) -> list[Move]:
    """The moves that the form's rows ask for; rows that are not filled in ask for none."""
    valid = {value for _, options in _targets(page) for value, _ in options}
    chosen = []
    for who, target in form.rows:
        if not who or len(who) > LONGEST_ID or target not in valid or not names_of([who]):
            continue
        place = rosters.places.get(who)
        number, _, spot = target.partition("-")
        chosen.append(
            Move(
                who,
                place.franchise if place else None,
                None if target == FREE else int(number),
                spot=_spot(spot),
                from_spot=place.spot if place else ACTIVE,
            )
        )
    return chosen


def _spot(value: str) -> Spot:
    return next((spot for spot in words.SPOT_WORDS if spot == value), ACTIVE)


def _targets(page: DraftLeaguePage) -> list[tuple[str, list[tuple[str, str]]]]:
    """Groups of places that somebody can be moved to: value and words of each."""
    roster = page.settings.roster
    spots: list[Spot] = ["active"]
    spots += ["reserve"] if roster.reserve else []
    spots += ["taxi"] if roster.taxi else []
    groups = [("No team", [(FREE, "Free agents")])]
    for team in page.teams:
        options = [
            (f"{team.number}-{spot}", f"{team.name}: {words.SPOT_WORDS[spot]}") for spot in spots
        ]
        groups.append((team.name, options))
    return groups


def _found(page: DraftLeaguePage, rosters: Rosters, search: str) -> list[str]:
    matches = find_names(search, names_on_market(page.league.season_id))
    return [who for who in matches.ids if who not in rosters.places][:MOST_FOUND]


def _named_rosters(
    page: DraftLeaguePage, rosters: Rosters, names: Mapping[str, str]
) -> list[tuple[Team, list[tuple[str, str, Spot]]]]:
    """Each team with id, name and spot of its footballers."""
    return [
        (
            team,
            [
                (who, names.get(who, who), place.spot)
                for who, place in rosters.of(team.number).items()
            ],
        )
        for team in page.teams
    ]


def _chosen_lineup(
    page: DraftLeaguePage, franchise: int, week: int, form: LineupForm
) -> ChosenLineup:
    stored = lineups.stored_lineup(page.league, franchise, week, now())
    if isinstance(stored, Refusal):
        abort(404)
    correction = Correction(franchise, week, _starters(stored, form.starter.data))
    return ChosenLineup(stored, correction, form)


def _starters(stored: StoredLineup, values: Sequence[str]) -> tuple[str, ...]:
    size = len(stored.team_format.starters)
    if not values:
        return stored.stored[:size]
    return tuple(value[:LONGEST_ID] for value in values[:size])


def _lineup(
    page: DraftLeaguePage,
    chosen: ChosenLineup,
    *,
    preview: lineups.Preview | None = None,
    refused: Sequence[Refusal] = (),
) -> ResponseReturnValue:
    stored, correction, form = chosen.stored, chosen.correction, chosen.form
    league = page.league
    place_faults = defaultdict(
        str, {refusal.place: refusal.text for refusal in refused if refusal.place}
    )
    other_refusals = [refusal for refusal in refused if not refusal.place]
    return respond(
        "draft_leagues/commissioner_lineup.html",
        league=league,
        team=page.teams[correction.franchise - 1],
        name_of=page.name_of,
        lineup=stored,
        chosen=[
            (slot.name, pick, _fitting(stored, slot.accepts))
            for slot, pick in zip(stored.team_format.starters, correction.starters, strict=False)
        ],
        weeks=lineups.gameweeks(league, now()),
        preview=preview,
        form=form,
        place_faults=place_faults,
        faults=show_refusals(form, other_refusals),
        tab="settings",
        runs_it=True,
        status=422 if refused else 200,
    )


def _fitting(stored: StoredLineup, accepts: Sequence[str]) -> list[tuple[str, str]]:
    """Id and name of everybody who could start in such a place, by name."""
    fitting = [who for who, position in stored.eligible.items() if position in accepts]
    return sorted(
        ((who, stored.names[who]) for who in fitting), key=lambda pair: (pair[1], pair[0])
    )
