"""Waiver runs: their reports, a dry run, and deciding one anew."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from app.accounts.tokens import PlayerCaller
from app.api.draft_leagues.access import opened, opened_by_commissioner, or_refused, own_team
from app.api.draft_leagues.operations import draft_operation
from app.api.draft_leagues.shapes import (
    NO_LEAGUE,
    PROBLEMS,
    DraftLeaguePath,
    Reason,
    Row,
)
from app.api.fantasy.shapes import Body, LeagueSlug, Limit, Offset, next_offset
from app.api.operations import GET, POST
from app.api.security import MemberCaller
from app.core import clock
from app.core.http.problems import ProblemError
from app.draft_leagues.pages.loading import DraftLeaguePage
from app.draft_leagues.waivers import runs
from app.draft_leagues.waivers.models import WaiverRun
from app.draft_leagues.waivers.queries import claims_of_run, load_run, runs_page
from app.fantasy.rosters.queries import names_of

NO_RUN = "The league has no such run, or the caller is not in the league."


class RunPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a waiver run."""

    league: LeagueSlug
    run: Annotated[Row, Meta(description="The run's number.")]


class RunsQuery(msgspec.Struct, frozen=True):
    """Query parameters of the waiver runs."""

    limit: Limit = 20
    offset: Offset = 0


class WaiverRunBody(Body, frozen=True):
    """A waiver run."""

    run: Annotated[int, Meta(description="The run's number.")]
    scheduled_for: datetime
    processed_at: datetime
    attempt: Annotated[
        int, Meta(description="Starts at 1 and increases each time the run is repeated.")
    ]
    priorities: Annotated[
        Sequence[int], Meta(description="The teams by waiver priority before the run.")
    ]


class WaiverRunsBody(Body, frozen=True):
    """Waiver runs, newest first."""

    runs: Sequence[WaiverRunBody]
    next_offset: Annotated[
        int | None, Meta(description="The cursor of the next page. Null on the last page.")
    ]


class DecidedClaimBody(Body, frozen=True):
    """The outcome of a claim, and the reason."""

    claim: int
    franchise: int
    footballer_id: str
    name: str
    drop_id: str | None
    bid: int
    result: Annotated[
        str, Meta(description="The result: `won`, `lost`, `skipped` or `impossible`.")
    ]
    reason: Annotated[str, Meta(description="The reason, as a sentence.")]


class WaiverReportBody(Body, frozen=True):
    """Every claim of a run by footballer, highest bid first."""

    run: WaiverRunBody
    claims: Sequence[DecidedClaimBody]


class DryRunBody(Body, frozen=True):
    """How a run would decide the caller's own claims, in the order of its decisions."""

    claims: Sequence[DecidedClaimBody]


class RepeatNew(Body, frozen=True, forbid_unknown_fields=True):
    """Why a run is repeated."""

    reason: Reason


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/waiver-runs",
    answers={200: WaiverRunsBody},
    problems={404: NO_LEAGUE},
)
def list_waiver_runs(
    path: DraftLeaguePath, query: RunsQuery, caller: PlayerCaller | MemberCaller
) -> WaiverRunsBody:
    """List the waiver runs."""
    page = opened(path, caller)
    runs, more = runs_page(page.league.id, limit=query.limit, offset=query.offset)
    return WaiverRunsBody([_run(row) for row in runs], next_offset(query.offset, len(runs), more))


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/waiver-runs/{run}",
    answers={200: WaiverReportBody},
    problems={404: NO_RUN},
)
def get_waiver_run(path: RunPath, caller: PlayerCaller | MemberCaller) -> WaiverReportBody:
    """Read the report of a run: every claim, and why it won or lost."""
    return _report(opened(DraftLeaguePath(path.league), caller), path.run)


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/waiver-runs/{run}/repeat",
    answers={200: WaiverReportBody},
    problems={404: NO_RUN, 409: PROBLEMS[409]},
)
def repeat_waiver_run(
    path: RunPath, body: RepeatNew, caller: PlayerCaller | MemberCaller
) -> WaiverReportBody:
    """Reverse a run and repeat it, as the commissioner.

    This is useful after the standings were corrected. It is refused if a player whom the run moved
    has moved again since.
    """
    page = opened_by_commissioner(DraftLeaguePath(path.league), caller)
    _report(page, path.run)
    refused = runs.repeat(
        page.league.id, path.run, by_member_id=page.viewer_id, reason=body.reason, now=clock.now()
    )
    or_refused(refused)
    return _report(page, path.run)


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/waiver-dry-run",
    answers={200: DryRunBody},
    problems={404: NO_LEAGUE},
)
def preview_waiver_run(path: DraftLeaguePath, caller: PlayerCaller | MemberCaller) -> DryRunBody:
    """Preview how a run would decide your claims now if no other team had any.

    Nothing changes. Other teams' claims stay secret until the run, even from commissioners.
    """
    page = opened(path, caller)
    decided = runs.preview(page.league.id, own_team(page).number, clock.now())
    names = names_of(each.claim.footballer_id for each in decided.outcomes)
    return DryRunBody(
        [
            DecidedClaimBody(
                each.claim.id,
                each.claim.franchise,
                each.claim.footballer_id,
                names[each.claim.footballer_id],
                each.claim.drop_id,
                each.claim.bid,
                each.result,
                each.reason,
            )
            for each in decided.outcomes
        ]
    )


def _run(row: WaiverRun) -> WaiverRunBody:
    return WaiverRunBody(
        row.id, row.scheduled_for, row.processed_at, row.attempt, tuple(row.priorities)
    )


def _report(page: DraftLeaguePage, run_id: int) -> WaiverReportBody:
    row = load_run(page.league.id, run_id)
    if row is None:
        raise ProblemError(404, NO_RUN)
    claims = claims_of_run(run_id)
    names = names_of(claim.footballer_id for claim in claims)
    return WaiverReportBody(
        _run(row),
        [
            DecidedClaimBody(
                claim.id,
                claim.franchise,
                claim.footballer_id,
                names[claim.footballer_id],
                claim.drop_id,
                claim.bid,
                claim.result or "",
                claim.reason,
            )
            for claim in claims
        ],
    )
