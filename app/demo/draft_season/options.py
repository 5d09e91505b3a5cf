"""The league that somebody asks for on the command line, as settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from msgspec.structs import replace

from app.draft_leagues.settings import PRESETS, DraftLeagueSettings

DraftKind = Literal["snake", "third_round_reversal", "linear", "auction", "offline"]
WaiverKind = Literal["rolling", "reverse_standings", "blind_bids", "free"]
Review = Literal["none", "commissioner", "vote"]


@dataclass(frozen=True)
class LeagueOptions:
    """A preset, and what differs from it; None for what the preset says."""

    preset: str = "redraft"
    teams: int | None = None
    draft: DraftKind | None = None
    waivers: WaiverKind | None = None
    review: Review | None = None
    divisions: int = 0
    median_game: bool = False
    regular_weeks: int = 14

    def settings(self) -> DraftLeagueSettings:
        """The settings before they are fitted to the season."""
        base = PRESETS[self.preset]
        teams = self.teams or base.franchises
        review = self.review or base.trades.review
        season = base.season
        return replace(
            base,
            franchises=teams,
            draft=replace(base.draft, kind=self.draft or base.draft.kind),
            waivers=replace(base.waivers, kind=self.waivers or base.waivers.kind),
            trades=replace(base.trades, review=review, votes_to_stop=max(1, min(4, teams - 2))),
            season=replace(
                season,
                first_week=1,
                regular_weeks=self.regular_weeks,
                divisions=self.divisions,
                median_game=self.median_game,
            ),
        )
