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
ClockTime = Annotated[
    str, Meta(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", description="A time of day, as `HH:MM`.")
]
SlotName = Literal["QB", "RB", "WR", "TE", "FLEX", "SUPERFLEX", "K", "DST", "DL", "LB", "DB", "IDP"]
TieBreak = Literal[
    "result_between", "division_record", "points_for", "points_against", "all_play", "coin"
]


class StarterCount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many starting slots of one kind a lineup has."""

    slot: SlotName
    count: Annotated[int, Meta(ge=1, le=10)]


class RosterSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The slots of a roster.

    Attributes:
        starters: The starting slots, in lineup order.
        bench: The number of bench slots.
        reserve: The number of injured reserve slots, for players whose status says they can't play.
        taxi: The number of taxi squad slots, for players stashed for later seasons (dynasty).
        substitutes_come_on: Whether bench players, in order, replace starters who did not play.
        best_ball: Whether the best possible lineup counts automatically after the games.
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
    """The hours, in the league's time zone, in which the clock of a slow draft is paused."""

    starts: ClockTime = "22:00"
    ends: ClockTime = "08:00"


class DraftSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the league drafts.

    Attributes:
        kind: `snake` reverses the order after each round. `third_round_reversal` is a snake whose
            third round starts like the second. `linear` keeps the order. In an `offline` draft, the
            commissioner enters the picks and there is no clock.
        rounds: The number of rounds. If null, enough to fill the active and taxi slots of a roster.
        seconds_per_pick: The time per pick. In an auction, the time per nomination.
        night_pause: The overnight pause. If null, there is none.
        seconds_per_bid: In an auction, the time left on the clock after a bid.
        budget: In an auction, the budget per team, in whole units.
    """

    kind: Literal["snake", "third_round_reversal", "linear", "auction", "offline"] = "snake"
    rounds: Annotated[int, Meta(ge=1, le=50)] | None = None
    seconds_per_pick: Annotated[int, Meta(ge=5, le=7 * 86_400)] = 90
    night_pause: NightPause | None = None
    seconds_per_bid: Annotated[int, Meta(ge=3, le=7 * 86_400)] = 15
    budget: Annotated[int, Meta(ge=1, le=10_000)] = 200


class WaiverSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How free agents are claimed.

    Attributes:
        kind: With `rolling`, a successful claim drops a team to last priority. With
            `reverse_standings`, the worst team claims first in each run. With `blind_bids`, the
            highest bid wins, with ties broken by rolling priority. `free` means no waivers.
        budget: The budget for blind bids, per team and season.
        least_bid: The minimum bid.
        days: The days on which claims are processed.
        time: The time at which claims are processed, in the league's time zone.
        hours_after_drop: The minimum time a dropped player is on waivers, in hours.
        locks_at_kickoff: Whether a player whose game has begun is on waivers until the first run
            after the gameweek's last game. If not, they are a free agent again after their game.
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
        review: Who can stop an accepted trade.
        review_hours: The length of the review, in hours.
        votes_to_stop: The number of teams whose votes stop a trade, if the league votes.
        offer_hours: How long an offer is open, in hours. If null, it does not expire.
        deadline_week: The last gameweek with trades. If null, there is no trade deadline.
        with_picks: Whether future picks can be traded.
        with_budget: Whether waiver budget can be traded.
    """

    review: Literal["none", "commissioner", "vote"] = "commissioner"
    review_hours: Annotated[int, Meta(ge=0, le=168)] = 24
    votes_to_stop: Annotated[int, Meta(ge=1, le=32)] = 4
    offer_hours: Annotated[int, Meta(ge=1, le=720)] | None = 72
    deadline_week: Annotated[int, Meta(ge=1, le=30)] | None = 12
    with_picks: bool = True
    with_budget: bool = True


class SeasonSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The regular season and the playoffs.

    Attributes:
        divisions: The number of divisions. 0 or 1 means no divisions.
        first_week: The first gameweek that counts. If null, the first one open after the draft.
        regular_weeks: The number of gameweeks in the regular season.
        rivals: Pairs of teams that play each other in `rivals_week`.
        rivals_week: A week of the regular season, starting at 1. If null, there is no rivals week.
        median_game: Whether every team also plays the league median each gameweek.
        tie_breaks: The tiebreakers for teams with equal records, in order.
        playoff_teams: The number of playoff teams. Division winners are seeded first.
        weeks_per_round: The number of gameweeks in each playoff round, first round first.
        reseed: Whether the best remaining seed plays the worst in each round. If not, the bracket
            is fixed.
        lower_bracket: What the other teams play: nothing, a consolation bracket (winners advance),
            or a last-place bracket (losers advance).
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
    """Which players a team keeps for the next season.

    Attributes:
        most: The maximum number of keepers per team. 0 means none (redraft). A dynasty league keeps
            all players (`keeps_all`).
        rounds_earlier: How many rounds earlier than the player was drafted the pick is that a
            keeper costs.
        undrafted_round: The round that an undrafted keeper costs. If null, the last round.
        most_seasons: How many seasons in a row a player can be kept. If null, there is no limit.
        keeps_all: Whether teams keep whole rosters (dynasty). From the second season on, the league
            then holds a rookie draft.
        future_seasons: How many seasons ahead picks can be traded.
        rookie_rounds: In a dynasty league, the number of rounds of each rookie draft.
        rookies_only: In a dynasty league, whether only rookies can be drafted, and no free agents.
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
        franchises: The number of teams.
        scoring: The name of the scoring rules.
        time_zone: The IANA time zone for all times of day.
        continues_rosters: Whether teams carry over players from the previous season. Read-only: it
            is set when the league starts its next season.
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
