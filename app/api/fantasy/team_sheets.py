"""Team sheets over the API, in the source design's terms: captain, goalkeeper, players, subs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from app.accounts.tokens import PlayerCaller
from app.api.fantasy.shapes import (
    MEMBERS,
    TAG,
    Body,
    GamerId,
    GameweekName,
    LeagueSlug,
    Millions,
    Points,
    milli,
    viewer_of,
)
from app.api.operations import GET, Limits, operation
from app.api.security import MemberCaller
from app.api.shapes import points
from app.core import clock
from app.core.problems import Refuse
from app.fantasy import lookups
from app.fantasy.formats import FORMATS
from app.fantasy.lookups import TeamSheetRow
from app.fantasy.source_sheet import named

READS = Limits("240 per minute")


class SheetPath(msgspec.Struct, frozen=True):
    gamer_id: GamerId
    gameweek: GameweekName

    @property
    def week(self) -> int:
        return int(self.gameweek.removeprefix("GW"))


class SheetQuery(msgspec.Struct, frozen=True):
    league: Annotated[
        LeagueSlug | None,
        Meta(description="By whose team rules and scoring; left out: the overall league of the newest season."),
    ] = None


class PlaceBody(Body, frozen=True):
    """One place of a team sheet."""

    place: Annotated[int, Meta(description="From 1; starters first, then substitutes in the order they come on.")]
    slot: Annotated[str, Meta(description="What the format calls the place.")]
    footballer_id: Annotated[str | None, Meta(description="Null where nobody stands.")]
    name: str | None
    position: str | None
    club: str | None
    paid: Millions
    points: Annotated[Points | None, Meta(description="His own of the gameweek; null without a stat line.")]
    times: Annotated[int | None, Meta(description="How often they count: 2 for the captain, 0 for who does not play.")]


class TeamSheetBody(Body, frozen=True):
    """A gamer's team sheet of a gameweek."""

    gamer_id: int
    name: str
    season: str
    league: str
    format: Annotated[str, Meta(description="The roster format: soccer-five, soccer, nfl-classic, nfl-superflex.")]
    gameweek: str
    locks_at: datetime
    captain: Annotated[str, Meta(description="A footballer's id, as everywhere here.")]
    vice_captain: str
    goal_keeper: Annotated[str | None, Meta(description="Null in formats without one.")]
    players: Annotated[Sequence[str], Meta(description="The starters besides captain and goalkeeper.")]
    subs: Sequence[str]
    places: Sequence[PlaceBody]
    points: Annotated[Points | None, Meta(description="Before the cost of transfers; null before the first count.")]
    held: Annotated[Points, Meta(description="What of them rests on plays under review.")]
    bank: Annotated[Millions, Meta(description="What is left of the budget.")]
    transfers: int
    transfer_cost: Points
    edition: Annotated[int, Meta(description="Rises with every save.")]
    is_carried: Annotated[bool, Meta(description="Nobody saved it: it is the gameweek's before.")]
    saved_at: datetime


@operation(
    GET,
    "/api/v1/gamers/{gamer_id}/teamsheets/{gameweek}",
    tag=TAG,
    answers={200: TeamSheetBody},
    security=MEMBERS,
    problems={404: "There is no such team sheet, or it is another's and its deadline has not passed."},
    limits=READS,
)
def get_team_sheet(path: SheetPath, query: SheetQuery, caller: PlayerCaller | MemberCaller) -> TeamSheetBody:
    """Get the team sheet of a gamer.

    His own at any time; another's only after the deadline.
    """
    found = lookups.team_sheet(path.gamer_id, path.week, viewer_of(caller), clock.now(), query.league)
    if found is None:
        raise Refuse(
            404, "There is no team sheet of this gamer for this gameweek and league, or its deadline has not passed."
        )
    return sheet_body(found)


def sheet_body(found: TeamSheetRow) -> TeamSheetBody:
    format = FORMATS[found.format]
    terms = named(format, [one.footballer_id for one in found.places], found.captain, found.vice_captain)
    assert terms.vice_captain is not None  # every stored sheet has one
    return TeamSheetBody(
        gamer_id=found.gamer_id,
        name=found.gamer,
        season=str(found.season),
        league=found.league,
        format=found.format,
        gameweek=f"GW{found.week}",
        locks_at=found.locks_at,
        captain=terms.captain,
        vice_captain=terms.vice_captain,
        goal_keeper=terms.goalkeeper,
        players=terms.players,
        subs=terms.subs,
        places=[
            PlaceBody(
                place=place,
                slot=slot.name,
                footballer_id=one.footballer_id or None,
                name=one.name,
                position=one.position,
                club=one.club_id,
                paid=points(one.paid, 1),
                points=milli(one.points) if one.points is not None else None,
                times=one.times,
            )
            for place, (slot, one) in enumerate(zip(format.places, found.places, strict=True), start=1)
        ],
        points=milli(found.points) if found.points is not None else None,
        held=milli(found.held or 0),
        bank=points(found.bank, 1),
        transfers=found.transfers,
        transfer_cost=milli(found.transfer_cost),
        edition=found.edition,
        is_carried=found.is_carried,
        saved_at=found.saved_at,
    )
