"""The settings of a draft league as data, and its presets. Pure values.

The commissioner may change all of them until the draft begins. They are stored as one document
with the league. `faults` says what is wrong with settings; the parts are used by the rules of the
draft, of waivers, trades and the season.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

Weekday = Literal["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
ClockTime = Annotated[str, Meta(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", description="`HH:MM`.")]
SlotName = Literal["QB", "RB", "WR", "TE", "FLEX", "SUPERFLEX", "K", "DST", "DL", "LB", "DB", "IDP"]
TieBreak = Literal[
    "result_between", "division_record", "points_for", "points_against", "all_play", "coin"
]


class StarterCount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many starting places of one kind a line-up has."""

    slot: SlotName
    count: Annotated[int, Meta(ge=1, le=10)]


class RosterSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The places of a roster.

    Attributes:
        starters: The starting places, in the order in which a line-up shows them.
        bench: How many footballers sit on the bench.
        reserve: Places for footballers whose status says that they cannot play.
        taxi: Places for footballers who are developed and do not play (dynasty).
        substitutes_come_on: Whether the bench replaces starters who did not play, in its order.
        best_ball: Whether the best line-up counts, computed from the record after the games.
    """

    starters: tuple[StarterCount, ...]
    bench: Annotated[int, Meta(ge=0, le=30)] = 6
    reserve: Annotated[int, Meta(ge=0, le=10)] = 1
    taxi: Annotated[int, Meta(ge=0, le=10)] = 0
    substitutes_come_on: bool = False
    best_ball: bool = False

    @property
    def starter_count(self) -> int:
        """How many footballers start."""
        return sum(each.count for each in self.starters)

    @property
    def active(self) -> int:
        """The most footballers on a roster besides reserve and taxi."""
        return self.starter_count + self.bench


class NightPause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The hours of the league's zone in which the clock of a slow draft stands still."""

    starts: ClockTime = "22:00"
    ends: ClockTime = "08:00"


class DraftSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the league drafts.

    Attributes:
        kind: `snake` turns around after each round; `third_round_reversal` is a snake whose third
            round begins like the second; `linear` keeps the order; `offline` is typed in by the
            commissioner and has no clock.
        rounds: None for as many as a roster has places for active and taxi footballers.
        seconds_per_pick: The clock; of an auction, for a nomination.
        night_pause: None for no pause.
        seconds_per_bid: Of an auction: how long the clock runs after a bid.
        budget: Of an auction, per franchise, in whole units.
    """

    kind: Literal["snake", "third_round_reversal", "linear", "auction", "offline"] = "snake"
    rounds: Annotated[int, Meta(ge=1, le=50)] | None = None
    seconds_per_pick: Annotated[int, Meta(ge=5, le=7 * 86_400)] = 90
    night_pause: NightPause | None = None
    seconds_per_bid: Annotated[int, Meta(ge=3, le=7 * 86_400)] = 15
    budget: Annotated[int, Meta(ge=1, le=10_000)] = 200


class WaiverSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How footballers without a team are claimed.

    Attributes:
        kind: `rolling` priority moves to the end after a successful claim; `reverse_standings`
            gives the worst team the first claim each run; `blind_bids` gives the highest bid (ties
            by rolling priority); `free` has no waivers.
        budget: Of blind bids, per franchise and season.
        least_bid: The least bid.
        days: On which days claims are processed.
        time: When, in the league's zone.
        hours_after_drop: How long a dropped footballer is on waivers at least.
        locks_at_kickoff: Whether a footballer whose game has begun is on waivers until the first
            run after the gameweek's last game; otherwise they are free again when it has ended.
    """

    kind: Literal["rolling", "reverse_standings", "blind_bids", "free"] = "rolling"
    budget: Annotated[int, Meta(ge=0, le=10_000)] = 100
    least_bid: Annotated[int, Meta(ge=0, le=1)] = 0
    days: tuple[Weekday, ...] = ("WED",)
    time: ClockTime = "09:00"
    hours_after_drop: Annotated[int, Meta(ge=0, le=168)] = 24
    locks_at_kickoff: bool = True


class TradeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How trades are made.

    Attributes:
        review: Who may stop an accepted trade.
        review_hours: How long an accepted trade waits for the review.
        votes_to_stop: Of a vote, how many franchises stop a trade.
        offer_hours: How long an offer stands; None for no end.
        deadline_week: The last gameweek before whose deadline trades take effect; None for none.
        with_picks: Whether future picks may be traded.
        with_budget: Whether waiver budget may be traded.
    """

    review: Literal["none", "commissioner", "vote"] = "commissioner"
    review_hours: Annotated[int, Meta(ge=0, le=168)] = 24
    votes_to_stop: Annotated[int, Meta(ge=1, le=32)] = 4
    offer_hours: Annotated[int, Meta(ge=1, le=720)] | None = 72
    deadline_week: Annotated[int, Meta(ge=1, le=30)] | None = 12
    with_picks: bool = True
    with_budget: bool = True


class SeasonSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The regular season and the play-offs.

    Attributes:
        divisions: How many; 0 or 1 for none.
        first_week: The first gameweek that counts; None for the first that is open after the draft.
        regular_weeks: How many gameweeks the regular season has.
        rivals: Pairs of franchises who meet in `rivals_week`.
        rivals_week: A week of the regular season, from 1; None for no such week.
        median_game: Whether everybody also plays against the median of each gameweek.
        tie_breaks: What orders franchises with equal records, the first first.
        playoff_teams: How many franchises reach the play-offs; division winners come first.
        weeks_per_round: Of the play-offs, each round's gameweeks, the last round's last.
        reseed: Whether the best seed left meets the worst in each round; otherwise the bracket is
            fixed.
        lower_bracket: What the others play: nothing, a consolation bracket (winners move up), or a
            bracket for the last place (losers move down).
    """

    divisions: Annotated[int, Meta(ge=0, le=8)] = 0
    first_week: Annotated[int, Meta(ge=1, le=30)] | None = None
    regular_weeks: Annotated[int, Meta(ge=1, le=30)] = 14
    rivals: tuple[tuple[int, int], ...] = ()
    rivals_week: Annotated[int, Meta(ge=1, le=30)] | None = None
    median_game: bool = False
    tie_breaks: tuple[TieBreak, ...] = ("points_for", "result_between", "coin")
    playoff_teams: Annotated[int, Meta(ge=0, le=16)] = 6
    weeks_per_round: tuple[Annotated[int, Meta(ge=1, le=2)], ...] = (1, 1, 1)
    reseed: bool = False
    lower_bracket: Literal["none", "consolation", "last_place"] = "consolation"


class KeeperSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whom a franchise takes into the next season.

    Attributes:
        most: How many footballers; 0 for a league that starts anew. A dynasty keeps all
            (`keeps_all`).
        rounds_earlier: How many rounds before the one in which they were drafted a kept footballer
            costs the pick.
        undrafted_round: The round that somebody who was not drafted costs; None for the last.
        most_seasons: How many seasons in a row somebody may be kept; None for no limit.
        keeps_all: Whether whole rosters stay (dynasty). From the second season on the league then
            drafts rookies on top of them.
        future_seasons: How many seasons ahead picks may be traded.
        rookie_rounds: Of a dynasty: how many rounds each rookie draft has.
        rookies_only: Of a dynasty: whether rookie drafts leave out free agents who are no rookies.
    """

    most: Annotated[int, Meta(ge=0, le=30)] = 0
    rounds_earlier: Annotated[int, Meta(ge=0, le=20)] = 1
    undrafted_round: Annotated[int, Meta(ge=1, le=50)] | None = None
    most_seasons: Annotated[int, Meta(ge=1, le=20)] | None = None
    keeps_all: bool = False
    future_seasons: Annotated[int, Meta(ge=0, le=3)] = 1
    rookie_rounds: Annotated[int, Meta(ge=1, le=10)] = 4
    rookies_only: bool = False


class DraftLeagueSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All settings of a draft league.

    Attributes:
        franchises: How many teams play.
        scoring: The name of the scoring rules.
        time_zone: The IANA zone of all times of day.
        continues_rosters: Whether teams bring footballers of the season before. It is set when the
            league goes on, and is read-only.
    """

    franchises: Annotated[int, Meta(ge=2, le=32)]
    scoring: Annotated[str, Meta(max_length=64)]
    time_zone: Annotated[str, Meta(max_length=64)]
    roster: RosterSettings
    draft: DraftSettings = DraftSettings()
    waivers: WaiverSettings = WaiverSettings()
    trades: TradeSettings = TradeSettings()
    season: SeasonSettings = SeasonSettings()
    keepers: KeeperSettings = KeeperSettings()
    continues_rosters: bool = False

    @property
    def drafts_rookies(self) -> bool:
        """Whether the draft is a dynasty's rookie draft: on top of the rosters that stay."""
        return self.keepers.keeps_all and self.continues_rosters

    @property
    def draft_rounds(self) -> int:
        """How many rounds the draft has."""
        if self.drafts_rookies:
            return self.keepers.rookie_rounds
        return self.draft.rounds or self.roster.active + self.roster.taxi

    @property
    def later_rounds(self) -> int:
        """How many rounds the draft of each later season has."""
        return self.keepers.rookie_rounds if self.keepers.keeps_all else self.draft_rounds


def _starters(**counts: int) -> tuple[StarterCount, ...]:
    return msgspec.convert(
        [{"slot": slot, "count": count} for slot, count in counts.items()],
        tuple[StarterCount, ...],
    )


# The line-up that Sleeper, ESPN and Yahoo start new leagues with, team defence included.
_REDRAFT = DraftLeagueSettings(
    franchises=10,
    scoring="half_ppr_idp",
    time_zone="America/New_York",
    roster=RosterSettings(_starters(QB=1, RB=2, WR=2, TE=1, FLEX=1, K=1, DST=1)),
)

PRESETS: Mapping[str, DraftLeagueSettings] = MappingProxyType(
    {
        "redraft": _REDRAFT,
        "dynasty": replace(
            _REDRAFT,
            franchises=12,
            roster=RosterSettings(
                _starters(QB=1, RB=2, WR=3, TE=1, FLEX=2, SUPERFLEX=1),
                bench=12,
                reserve=3,
                taxi=4,
            ),
            waivers=WaiverSettings("blind_bids"),
            keepers=KeeperSettings(keeps_all=True, future_seasons=3),
        ),
        "two-quarterback": replace(
            _REDRAFT,
            roster=RosterSettings(_starters(QB=2, RB=2, WR=2, TE=1, FLEX=1, K=1, DST=1)),
        ),
        "idp": replace(
            _REDRAFT,
            roster=RosterSettings(
                _starters(QB=1, RB=2, WR=2, TE=1, FLEX=1, K=1, DL=1, LB=2, DB=1), bench=7
            ),
        ),
        "best-ball": replace(
            _REDRAFT,
            franchises=12,
            roster=RosterSettings(
                _starters(QB=1, RB=2, WR=3, TE=1, FLEX=1, DST=1),
                bench=9,
                reserve=0,
                best_ball=True,
            ),
            waivers=WaiverSettings("free"),
        ),
    }
)


def version_of(settings: DraftLeagueSettings) -> str:
    """A name of exactly these settings: others have another one.

    >>> version_of(PRESETS["redraft"]) == version_of(replace(PRESETS["redraft"], franchises=4))
    False
    """
    document = msgspec.json.encode(settings, order="deterministic")
    return hashlib.sha256(document).hexdigest()[:16]
