"""A commissioner moves footballers on somebody's behalf, and corrects past line-ups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
from app.draft_leagues.pages.loading import DraftLeaguePage, load_for_commissioner
from app.draft_leagues.transactions import words
from app.draft_leagues.transactions.services import limits_of
from app.fantasy.market.listing import names_on_market
from app.fantasy.market.name_search import find_names
from app.fantasy.rosters import rules
from app.fantasy.rosters.queries import names_of, rosters_of
from app.fantasy.rosters.rules import ACTIVE, Move, Names, Rosters, Spot, Transaction

blueprint = Blueprint(
    "draft_commissioner_acts", __name__, url_prefix="/leagues/<slug>/commissioner"
)

ROWS = 3
LONGEST_ID = LONGEST_SEARCH = 60
MOST_FOUND = 20
FREE = "free"


@blueprint.get("/moves")
@audience(MEMBER)
def moves(slug: str) -> ResponseReturnValue:
    """Show the form for moves, with the rosters after them once some are chosen."""
    page = load_for_commissioner(slug)
    return _moves(page, request.args)


@blueprint.post("/moves")
@audience(MEMBER)
def act(slug: str) -> ResponseReturnValue:
    """Move footballers on behalf of their teams."""
    page = load_for_commissioner(slug)
    chosen = _chosen(page, rosters_of(page.league.id), request.form)
    if not chosen:
        return _moves(page, request.form)
    result = services.act(
        page.league.id,
        chosen,
        by_member_id=current_user.id,
        reason=request.form.get("reason", ""),
        now=now(),
    )
    if isinstance(result, list):
        return _moves(page, request.form, result)
    return redirect(url_for("draft_commissioner.show", slug=slug, done=1), 303)


@blueprint.get("/line-up/<int:franchise>/<int:week>")
@audience(MEMBER)
def lineup(slug: str, franchise: int, week: int) -> ResponseReturnValue:
    """Show a team's line-up, and what other starters would change once they are chosen."""
    page = load_for_act(slug, franchise)
    stored = _stored(page, franchise, week)
    correction = Correction(franchise, week, _starters(stored, request.args.getlist("starter")))
    if "starter" not in request.args:
        return _lineup(page, correction, stored)
    preview = lineups.preview(page.league, correction, now())
    if isinstance(preview, list):
        return _lineup(page, correction, stored, refused=preview)
    return _lineup(page, correction, stored, preview=preview)


@blueprint.post("/line-up/<int:franchise>/<int:week>")
@audience(MEMBER)
def correct(slug: str, franchise: int, week: int) -> ResponseReturnValue:
    """Set a team's line-up."""
    page = load_for_act(slug, franchise)
    stored = _stored(page, franchise, week)
    correction = Correction(franchise, week, _starters(stored, request.form.getlist("starter")))
    by_commissioner = Act(
        current_user.id,
        request.form.get("reason", ""),
        form_number("version") or 0,
    )
    refused = lineups.correct(page.league, correction, by_commissioner, now())
    if refused:
        preview = lineups.preview(page.league, correction, now())
        return _lineup(
            page,
            correction,
            stored,
            preview=None if isinstance(preview, list) else preview,
            refused=refused,
        )
    return redirect(url_for("draft_commissioner.show", slug=slug, done=1), 303)


def _moves(
    page: DraftLeaguePage, form: Mapping[str, str], refused: Sequence[Refusal] = ()
) -> ResponseReturnValue:
    rosters = rosters_of(page.league.id)
    chosen = _chosen(page, rosters, form)
    search = form.get("q", "").replace("\x00", "").strip()[:LONGEST_SEARCH]
    free_agents = _found(page, rosters, search) if search else []
    known = names_of({*rosters.places, *free_agents, *(move.footballer_id for move in chosen)})
    names = Names(known, {team.number: team.name for team in page.teams})
    entry = Transaction("commissioner", tuple(chosen))
    refused = refused or (
        rules.refusals(rosters, entry, limits_of(page.settings), names) if chosen else ()
    )
    after = rules.applied(rosters, entry) if chosen and not refused else None
    return respond(
        "draft_leagues/commissioner_moves.html",
        league=page.league,
        teams=page.teams,
        rosters=_named_rosters(page, rosters, known),
        free=sorted((known[who], who) for who in free_agents),
        rows=[(form.get(f"who{row}", ""), form.get(f"to{row}", "")) for row in range(1, ROWS + 1)],
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
        reason=form.get("reason", ""),
        faults=refused,
        tab="commissioner",
        runs_it=True,
        status=422 if refused else 200,
    )


def _chosen(page: DraftLeaguePage, rosters: Rosters, form: Mapping[str, str]) -> list[Move]:
    """The moves that the form's rows ask for; rows that are not filled in ask for none."""
    valid = {value for _, options in _targets(page) for value, _ in options}
    chosen = []
    for row in range(1, ROWS + 1):
        who, target = form.get(f"who{row}", "")[:LONGEST_ID], form.get(f"to{row}", "")
        if not who or "\x00" in who or target not in valid or not names_of([who]):
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
    groups = [("Nobody", [(FREE, "Free agents")])]
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


def _stored(page: DraftLeaguePage, franchise: int, week: int) -> StoredLineup:
    stored = lineups.stored_lineup(page.league, franchise, week, now())
    if isinstance(stored, Refusal):
        abort(404)
    return stored


def _starters(stored: StoredLineup, values: Sequence[str]) -> tuple[str, ...]:
    size = len(stored.team_format.starters)
    if not values:
        return stored.stored[:size]
    return tuple(value[:LONGEST_ID] for value in values[:size])


def _lineup(
    page: DraftLeaguePage,
    correction: Correction,
    stored: StoredLineup,
    *,
    preview: lineups.Preview | None = None,
    refused: Sequence[Refusal] = (),
) -> ResponseReturnValue:
    league = page.league
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
        reason=request.form.get("reason", ""),
        faults=refused,
        tab="commissioner",
        runs_it=True,
        status=422 if refused else 200,
    )


def _fitting(stored: StoredLineup, accepts: Sequence[str]) -> list[tuple[str, str]]:
    """Id and name of everybody who could start in such a place, by name."""
    fitting = [who for who, position in stored.eligible.items() if position in accepts]
    return sorted(
        ((who, stored.names[who]) for who in fitting), key=lambda pair: (pair[1], pair[0])
    )
