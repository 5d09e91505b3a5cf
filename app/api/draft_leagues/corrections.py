"""Commissioners correct line-ups of gameweeks that have begun, with a preview of every result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from app.accounts.tokens import PlayerCaller
from app.api.draft_leagues.access import opened_by_commissioner, or_refused, refused_problem
from app.api.draft_leagues.line_ups import (
    MOST_PLACES,
    NO_LINE_UP,
    LineUpBody,
    LineUpPath,
    Pick,
    line_up,
)
from app.api.draft_leagues.operations import draft_operation
from app.api.draft_leagues.shapes import PROBLEMS, DraftLeaguePath, Reason
from app.api.fantasy.shapes import Body, Points, milli
from app.api.operations import POST, PUT
from app.api.security import MemberCaller
from app.core import clock
from app.draft_leagues.commissioner import lineups
from app.draft_leagues.commissioner.lineups import Act, Correction

FIELDS = {"franchise": "", "lineup": "", "week": ""}
Starters = Annotated[
    list[Pick],
    Meta(
        max_length=MOST_PLACES,
        description=("The starters, in the order of the starting slots. Null leaves a slot empty."),
    ),
]
PROBLEMS_HERE = {404: NO_LINE_UP, 409: PROBLEMS[409]}


class CorrectionTry(Body, frozen=True, forbid_unknown_fields=True):
    """Who should have started."""

    starters: Starters


class CorrectionNew(Body, frozen=True, forbid_unknown_fields=True):
    """Who should have started, and why."""

    starters: Starters
    version: Annotated[
        int,
        Meta(ge=0, le=2**31 - 1, description="The version of the lineup you read.", examples=[3]),
    ]
    reason: Reason = ""


class ChangedGameBody(Body, frozen=True):
    """A game whose points change."""

    home: int
    away: Annotated[
        int | None, Meta(description="The away team. Null if the opponent is the league average.")
    ]
    before: Annotated[
        Sequence[Points],
        Meta(description="The points of the home and the away team before the correction."),
    ]
    after: Sequence[Points]


class ChangedPlaceBody(Body, frozen=True):
    """A team whose place or record in the table changes."""

    franchise: int
    place_before: int
    place_after: int
    record_before: Annotated[
        str,
        Meta(
            description="The record before the correction: wins, losses and ties.",
            examples=["3-2-0"],
        ),
    ]
    record_after: str


class CorrectionPreviewBody(Body, frozen=True):
    """What a correction would change."""

    words: str
    points_before: Points
    points_after: Points
    games: Sequence[ChangedGameBody]
    places: Sequence[ChangedPlaceBody]
    seeds_before: Annotated[
        Sequence[int] | None,
        Meta(description="The playoff seeds before the correction. Null if they do not change."),
    ]
    seeds_after: Sequence[int] | None


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/franchises/{franchise}/line-ups/{gameweek}/correction/preview",
    answers={200: CorrectionPreviewBody},
    problems=PROBLEMS_HERE,
)
def preview_line_up_correction(
    path: LineUpPath, body: CorrectionTry, caller: PlayerCaller | MemberCaller
) -> CorrectionPreviewBody:
    """Preview every result that different starters would change, as the commissioner."""
    page = opened_by_commissioner(DraftLeaguePath(path.league), caller)
    preview = lineups.preview(page.league, _correction(path, body.starters), clock.now())
    if isinstance(preview, list):
        raise refused_problem(preview, fields=FIELDS)
    before, after = preview.points
    old_seeds, new_seeds = preview.seeds or (None, None)
    return CorrectionPreviewBody(
        preview.words,
        milli(before),
        milli(after),
        [
            ChangedGameBody(
                game.home,
                game.away,
                [milli(points) for points in game.before],
                [milli(points) for points in game.after],
            )
            for game in preview.games
        ],
        [_place(changed) for changed in preview.places],
        old_seeds,
        new_seeds,
    )


@draft_operation(
    PUT,
    "/api/v1/draft-leagues/{league}/franchises/{franchise}/line-ups/{gameweek}/correction",
    answers={200: LineUpBody},
    problems=PROBLEMS_HERE,
)
def correct_line_up(
    path: LineUpPath, body: CorrectionNew, caller: PlayerCaller | MemberCaller
) -> LineUpBody:
    """Set a team's lineup, open or locked, as the commissioner, with a reason.

    Results are updated and the league is notified. A repeated request is refused, because `version`
    has increased.
    """
    page = opened_by_commissioner(DraftLeaguePath(path.league), caller)
    act = Act(page.viewer_id, body.reason, body.version)
    or_refused(
        lineups.correct(page.league, _correction(path, body.starters), act, clock.now()), FIELDS
    )
    return line_up(page, path.franchise, path.week)


def _correction(path: LineUpPath, starters: Sequence[str | None]) -> Correction:
    return Correction(path.franchise, path.week, tuple(each or "" for each in starters))


def _place(changed: lineups.ChangedPlace) -> ChangedPlaceBody:
    before, after = (
        f"{place.record.wins}-{place.record.losses}-{place.record.ties}"
        for place in (changed.before, changed.after)
    )
    return ChangedPlaceBody(
        changed.before.franchise, changed.before.place, changed.after.place, before, after
    )
