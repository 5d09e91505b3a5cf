"""Team sheets over the API, in the source design's terms: captain, goalkeeper, players, subs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from app.accounts.tokens import PlayerCaller
from app.api.fantasy.shapes import (
    ID,
    MEMBERS,
    TAG,
    Body,
    FootballerId,
    GamerId,
    GameweekName,
    Millions,
    Points,
    milli,
    viewer_of,
)
from app.api.operations import GET, PUT, Limits, operation
from app.api.security import MemberCaller
from app.api.shapes import points
from app.core import clock
from app.core.db import db
from app.core.http.problems import Fault, ProblemError
from app.core.refusals import Refusal
from app.core.serving import received_at
from app.fantasy.api_queries import queries as lookups
from app.fantasy.api_queries.queries import TeamSheetRow
from app.fantasy.market.formats import format_named
from app.fantasy.market.models import Gameweek
from app.fantasy.sheets import context as sheet_context
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.source import Placed, SourceSheet, named, placed
from app.fantasy.sheets.transfers import Draft

READS, WRITES = Limits("240 per minute"), Limits("60 per minute")
LATE = ("deadline", "version")
FIELDS = {"captain": "captain", "vice_captain": "viceCaptain", "version": "edition"}


class SheetPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a team sheet."""

    gamer_id: GamerId
    gameweek: GameweekName

    @property
    def week(self) -> int:
        """The gameweek's number."""
        return int(self.gameweek.removeprefix("GW"))


class SheetQuery(msgspec.Struct, frozen=True):
    """Query parameters of a sheet request."""

    league: Annotated[
        str,
        Meta(
            pattern="^[a-z0-9-]{0,80}$",
            description=(
                "The league whose team rules and scoring apply. Defaults to the newest "
                "season's overall league."
            ),
        ),
    ] = ""


class PlaceBody(Body, frozen=True):
    """A slot of a team sheet."""

    place: Annotated[
        int,
        Meta(
            description=(
                "The slot's number, starting at 1: starters first, then the bench in "
                "auto-sub order."
            )
        ),
    ]
    slot: Annotated[str, Meta(description="The format's name for the slot.")]
    footballer_id: Annotated[
        str | None, Meta(description="The player in this slot. Null if it is empty.")
    ]
    name: str | None
    position: str | None
    club: str | None
    paid: Millions
    points: Annotated[
        Points | None,
        Meta(
            description=(
                "The footballer's own points in the gameweek. Null if there is no stat line."
            )
        ),
    ]
    times: Annotated[
        int | None,
        Meta(description="The multiplier: 2 for the captain, 0 for players who do not count."),
    ]


class TeamSheetBody(Body, frozen=True):
    """A gamer's team sheet for a gameweek."""

    gamer_id: int
    name: str
    season: str
    league: str
    format: Annotated[
        str,
        Meta(description="The roster format, such as `soccer`, `nfl-classic` or `nfl-offence`."),
    ]
    gameweek: str
    locks_at: datetime
    captain: Annotated[str, Meta(description="The captain's footballer ID.")]
    vice_captain: str
    goal_keeper: Annotated[
        str | None, Meta(description="The goalkeeper. Null in formats without one.")
    ]
    players: Annotated[
        Sequence[str], Meta(description="The starters other than the captain and goalkeeper.")
    ]
    subs: Sequence[str]
    places: Sequence[PlaceBody]
    points: Annotated[
        Points | None,
        Meta(description="The points before transfer costs. Null until points are first counted."),
    ]
    held: Annotated[
        Points, Meta(description="The part of the points that comes from plays under review.")
    ]
    bank: Annotated[Millions, Meta(description="The remaining budget.")]
    transfers: int
    transfer_cost: Points
    edition: Annotated[int, Meta(description="Increases with every save.")]
    is_carried: Annotated[
        bool,
        Meta(
            description=(
                "Whether no team sheet was saved for this gameweek, so that the previous "
                "one was carried over."
            )
        ),
    ]
    saved_at: datetime


MaybeFootballer = Annotated[str, Meta(pattern=f"^$|{ID}")]


class SheetNew(Body, frozen=True, forbid_unknown_fields=True):
    """A team sheet to save, as footballer IDs."""

    either_case: ClassVar[bool] = True
    passed_over: ClassVar[frozenset[str]] = frozenset(
        field.encode_name for field in msgspec.structs.fields(TeamSheetBody)
    )

    captain: FootballerId
    players: Annotated[
        list[FootballerId],
        Meta(
            max_length=20,
            description="The starters other than the captain, vice-captain and goalkeeper.",
        ),
    ]
    subs: Annotated[
        list[FootballerId], Meta(max_length=20, description="The bench, in auto-sub order.")
    ]
    goal_keeper: Annotated[
        MaybeFootballer | None, Meta(description="The goalkeeper, in formats that have one.")
    ] = None
    vice_captain: Annotated[
        MaybeFootballer | None,
        Meta(
            description=(
                "The vice-captain, one of the starters. Defaults to the first of `players`."
            )
        ),
    ] = None
    edition: Annotated[
        int | None,
        Meta(
            description=(
                "The `edition` you last read, or 0 if there was none. The request is "
                "refused if another one was saved since."
            )
        ),
    ] = None


@operation(
    GET,
    "/api/v1/gamers/{gamer_id}/teamsheets/{gameweek}",
    tag=TAG,
    answers={200: TeamSheetBody},
    security=MEMBERS,
    problems={
        404: (
            "There is no such team sheet, or it is another gamer's and the deadline has not passed."
        )
    },
    limits=READS,
)
def get_team_sheet(
    path: SheetPath, query: SheetQuery, caller: PlayerCaller | MemberCaller
) -> TeamSheetBody:
    """Read a gamer's team sheet.

    Gamers can read their own at any time, and others' only after the gameweek's deadline. If
    players lock one by one, the deadline is the first kickoff, and later players can still be
    replaced.
    """
    sheet = lookups.team_sheet(
        path.gamer_id, path.week, viewer_of(caller), clock.now(), query.league or None
    )
    if sheet is None:
        raise ProblemError(
            404,
            "This member has no lineup for this week and league, or its deadline has not passed.",
        )
    return sheet_body(sheet)


@operation(
    PUT,
    "/api/v1/gamers/{gamer_id}/teamsheets/{gameweek}",
    tag=TAG,
    answers={200: TeamSheetBody},
    security=MEMBERS,
    problems={
        404: ("The team sheet is not the caller's own, or there is no such league or gameweek."),
        409: ("The team sheet is locked, or another one was saved since the given `edition`."),
        422: "The lineup breaks rules. `errors` lists each one and what to change.",
    },
    limits=WRITES,
)
def put_team_sheet(
    path: SheetPath, query: SheetQuery, body: SheetNew, caller: PlayerCaller | MemberCaller
) -> TeamSheetBody:
    """Save your team sheet, either completely or not at all.

    Starters are assigned to slots by position. The server's clock decides about the deadline. A
    team sheet that you read can be sent back unchanged, because read-only fields are ignored. Names
    may begin with a capital letter, as in the source design.
    """
    received = received_at()
    place = lookups.sheet_place(path.gamer_id, path.week, viewer_of(caller), query.league or None)
    if place is None:
        raise ProblemError(
            404,
            "gamer_id is not yours, or you have no such league or week. Check all three.",
        )
    sheet = SourceSheet(
        body.captain,
        body.goal_keeper or None,
        tuple(body.players),
        tuple(body.subs),
        body.vice_captain or None,
    )
    gameweek = db.session.get_one(Gameweek, place.gameweek_id)
    market = {
        candidate.id: candidate.position
        for candidate in sheet_context.candidates(sheet.everybody, gameweek, received)
    }
    stand = placed(format_named(place.format), sheet, market)
    draft = Draft(stand.picks, stand.captain, stand.vice_captain, body.edition)
    saved = sheets.save(path.gamer_id, place.team_rules_id, place.gameweek_id, draft, received)
    if isinstance(saved, sheets.Refused):
        faults = [
            Fault("body", _field(refusal, sheet, stand), refusal.code, refusal.text)
            for refusal in saved.refusals
        ]
        late = any(refusal.code in LATE for refusal in saved.refusals)
        raise ProblemError(409 if late else 422, " ".join(fault.detail for fault in faults), faults)
    stored = lookups.team_sheet(path.gamer_id, path.week, viewer_of(caller), received, place.league)
    assert stored is not None  # just saved, and their own
    return sheet_body(stored)


def _field(refusal: Refusal, sheet: SourceSheet, stand: Placed) -> str:
    """The field of the body that a refusal is about; empty for the sheet as a whole."""
    if refusal.place is None or refusal.field != "picks":
        return FIELDS.get(refusal.field, "")
    who = stand.picks[refusal.place - 1]
    if who and who == sheet.goalkeeper:
        return "goalKeeper"
    if who and who == sheet.captain:
        return "captain"
    return "players" if refusal.place <= stand.starters else "subs"


def sheet_body(sheet: TeamSheetRow) -> TeamSheetBody:
    """The response for a team sheet."""
    roster_format = format_named(sheet.format)
    terms = named(
        roster_format,
        [pick.footballer_id for pick in sheet.places],
        sheet.captain,
        sheet.vice_captain,
    )
    assert terms.vice_captain is not None  # every stored sheet has one
    return TeamSheetBody(
        gamer_id=sheet.gamer_id,
        name=sheet.gamer,
        season=str(sheet.season),
        league=sheet.league,
        format=sheet.format,
        gameweek=f"GW{sheet.week}",
        locks_at=sheet.locks_at,
        captain=terms.captain,
        vice_captain=terms.vice_captain,
        goal_keeper=terms.goalkeeper,
        players=terms.players,
        subs=terms.subs,
        places=[
            PlaceBody(
                place=place,
                slot=slot.name,
                footballer_id=pick.footballer_id or None,
                name=pick.name,
                position=pick.position,
                club=pick.club_id,
                paid=points(pick.purchase_price, 1),
                points=milli(pick.points) if pick.points is not None else None,
                times=pick.multiplier,
            )
            for place, (slot, pick) in enumerate(
                zip(roster_format.places, sheet.places, strict=True), start=1
            )
        ],
        points=milli(sheet.points) if sheet.points is not None else None,
        held=milli(sheet.held_points or 0),
        bank=points(sheet.bank, 1),
        transfers=sheet.transfers,
        transfer_cost=milli(sheet.transfer_cost),
        edition=sheet.version,
        is_carried=sheet.is_carried,
        saved_at=sheet.saved_at,
    )
