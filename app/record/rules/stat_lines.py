"""Official statistics from the valid events of a game: credits, and stat lines made of them.

The rule from movements to statistics. Points are in app/fantasy/scoring, the score is in state.py.
Pure. Ingestion keeps the credits in the ledger, so every point can be traced to its event.

The rule, play by play, in the order of order.py (a later revision keeps the place of what it
replaced):

- Yards count from where a movement starts to where it ends. A completed pass, the run after the
  catch and every run after a lateral are passing yards; each is receiving yards for the player who
  made it, without a second catch. Yards after a lateral on a rush are rushing yards without a
  carry. Nothing on a try has yards.
- The last movement flagged as a touchdown is the touchdown: one per play.
- A fumble is lost if the next recovery in the play is by the other team. It costs points
  (`fumbles_lost_scoring`) only if its player also has a sack, a carry or a catch on that play.
- A play with a kick is a special-teams play (an aborted kick is not): a touchdown on it is one of
  special teams as well, for passer and receiver alike, unless it came out of a recovered fumble.

Source: nflfastR's calculate_stats, and the columns of its player stats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from app.record import events as ev
from app.record.rules.misplaced import counted
from app.record.rules.order import Numbered as Numbered
from app.record.rules.order import in_order


class Credit(msgspec.Struct, frozen=True):
    """An amount of one statistic, and the event that earned it.

    `player_id` None: credited to the team only.
    """

    event_number: int
    player_id: str | None
    team: str
    stat: str
    amount: int


@dataclass(frozen=True, slots=True)
class StatLine:
    """A player's statistics in a game. Statistics of 0 are left out."""

    team: str
    stats: dict[str, int]


Play = list[tuple[int, ev.Body]]


def game_credits(events: Iterable[Numbered]) -> list[Credit]:
    """Credits of (event number, play number, body) triples, by event number, without zeros.

    Only valid events may come in. Bodies that earn nothing (snaps, penalties, corrections) may be
    among them.
    """
    all_credits = [credit for play in plays_of(events) for credit in play_credits(play)]
    return sorted(all_credits, key=lambda credit: credit.event_number)


def plays_of(events: Iterable[Numbered]) -> Iterable[Play]:
    """The plays with their events, in the order of the game (order.py)."""
    plays: dict[int, Play] = {}
    for number, play_number, body in in_order(events):
        plays.setdefault(play_number, []).append((number, body))
    return plays.values()


def play_credits(play: Play) -> list[Credit]:
    """The credits of one play, whose events come in order."""
    return list(_Play(play).credits())


def snapped_by(play: Iterable[tuple[int, ev.Body]]) -> str | None:
    """The club that had the ball at the snap."""
    return next((body.possession for _, body in play if isinstance(body, ev.Snap)), None)


def stat_lines(earned: Iterable[Credit]) -> dict[str, StatLine]:
    """Stat lines by player id of everybody with a credit; team credits make no line.

    A player's team is that of their first credit.
    """
    teams: dict[str, str] = {}
    sums: dict[str, Counter[str]] = {}
    for credit in earned:
        if credit.player_id is None:
            continue
        teams.setdefault(credit.player_id, credit.team)
        sums.setdefault(credit.player_id, Counter())[credit.stat] += credit.amount
    return {
        player: StatLine(teams[player], {s: n for s, n in stats.items() if n})
        for player, stats in sums.items()
    }


def touchdown_of(play: Sequence[tuple[int, ev.Body]]) -> int | None:
    """The event number of the play's touchdown: the last flagged movement, in the order given."""
    flagged = [number for number, body in counted(play) if getattr(body, "is_touchdown", False)]
    return flagged[-1] if flagged else None


def is_special(play: Iterable[tuple[int, ev.Body]]) -> bool:
    """Whether it is a special-teams play: somebody really kicked."""
    return any(isinstance(body, ev.Kick) and body.result != "aborted" for _, body in play)


def field_goal_bucket(distance: int) -> str:
    """The statistic that a made field goal of this many yards counts in.

    >>> [field_goal_bucket(yards) for yards in (19, 20, 59, 60)]
    ['fg_made_0_19', 'fg_made_20_29', 'fg_made_50_59', 'fg_made_60_plus']
    """
    if distance < _SHORT_FIELD_GOAL:
        return "fg_made_0_19"
    if distance >= _LONG_FIELD_GOAL:
        return "fg_made_60_plus"
    return f"fg_made_{distance // 10}0_{distance // 10}9"


_SHORT_FIELD_GOAL, _LONG_FIELD_GOAL = 20, 60  # yards: the first and the last bucket

# What the current movement of the ball counts as.
Account = Literal[
    "nothing",
    "pass",
    "rush",
    "interception",
    "punt",
    "kickoff",
    "return",
    "own_recovery",
    "recovery",
]

_FUMBLE_RECOVERIES = ("own_recovery", "recovery")


class _Play:
    """Follows the ball through one play and writes credits down."""

    def __init__(self, events: Play) -> None:
        self.events = counted(events)
        self.scored = touchdown_of(events)
        self.special = is_special(events)
        self.possession = snapped_by(events)
        self.account: Account = "nothing"
        self.thrown: ev.Pass | None = None
        self.loose: list[tuple[int, ev.Fumble]] = []
        self.last_fumble: ev.Fumble | None = None
        self.lost: list[tuple[int, ev.Fumble]] = []
        self.earned: list[Credit] = []

    def credits(self) -> Iterator[Credit]:
        for number, body in self.events:
            self._follow(number, body)
        self._charge_lost_fumbles()
        yield from self.earned

    def _add(self, number: int, player: str | None, team: str, stat: str, amount: int = 1) -> None:
        if amount:
            self.earned.append(Credit(number, player, team, stat, amount))

    def _follow(self, number: int, body: ev.Body) -> None:
        match body:  # the most frequent ones first
            case ev.Snap():
                pass
            case ev.Run():
                self._run(number, body)
            case ev.Pass():
                self._pass(number, body)
            case ev.Tackle() | ev.Safety() | ev.Credit():
                self._defender(number, body)
            case ev.Sack():
                self._sack(number, body)
            case ev.Fumble():
                self._fumble(number, body)
            case ev.Recovery():
                self._recovery(number, body)
            case ev.Interception():
                self.account = "interception"
                self._add(number, body.player, body.team, "interceptions_made")
                self._touchdown(number, body.player, body.team)
            case ev.Kick():
                self._kick(number, body)
            case ev.Conversion():
                self._conversion(number, body)

    def _defender(self, number: int, body: ev.Tackle | ev.Safety | ev.Credit) -> None:
        match body:
            case ev.Tackle():
                for stat in _TACKLES[body.kind]:
                    self._add(number, body.tackler, body.team, stat)
            case ev.Safety():
                self._add(number, body.player, body.team, "safeties")
            case ev.Credit():
                self._add(number, body.player, body.team, _CREDITS[body.kind])

    def _pass(self, number: int, body: ev.Pass) -> None:
        self.thrown, self.account = body, "nothing"
        self._add(number, body.passer, body.team, "attempts")
        if body.result != "spike":
            self._add(number, body.receiver, body.team, "targets")
        if body.result == "intercepted":
            self._add(number, body.passer, body.team, "passing_interceptions")
        if body.result == "complete":
            self.account = "pass"
            assert body.reception_yard is not None  # the schema refuses a complete pass without it
            self._add(number, body.passer, body.team, "completions")
            self._add(number, body.receiver, body.team, "receptions")
            self._gain(number, body.receiver, body.team, body.reception_yard - body.throw_yard)
            self._touchdown(number, body.receiver, body.team)

    def _run(self, number: int, body: ev.Run) -> None:
        if body.is_rush:
            self.account = "rush"
            self._add(number, body.player, body.team, "carries")
        elif body.kind == "return":
            if self.account in ("punt", "kickoff"):
                self._add(number, body.player, body.team, f"{self.account}_returns")
            if self.account != "interception":
                self.account = "return"
        self._gain(number, body.player, body.team, body.end_yard - body.start_yard)
        self._touchdown(number, body.player, body.team)

    def _gain(self, number: int, player: str | None, team: str, yards: int) -> None:
        if self.account == "pass" and self.thrown is not None:
            self._add(number, self.thrown.passer, team, "passing_yards", yards)
            self._add(number, player, team, "receiving_yards", yards)
        elif self.account == "rush":
            self._add(number, player, team, "rushing_yards", yards)

    def _touchdown(self, number: int, player: str | None, team: str) -> None:
        if number != self.scored:
            return
        scorers = [player]
        if self.account == "pass" and self.thrown is not None:
            self._add(number, self.thrown.passer, team, "passing_tds")
            self._add(number, player, team, "receiving_tds")
            scorers.append(self.thrown.passer)
        elif self.account == "rush":
            self._add(number, player, team, "rushing_tds")
        elif self.account in _FUMBLE_RECOVERIES:
            self._add(number, player, team, "fumble_recovery_tds")
            if self.account == "own_recovery":
                self._add(number, player, team, "own_fumble_recovery_tds")
        if self.special and self.account not in _FUMBLE_RECOVERIES:
            for scorer in scorers:
                self._add(number, scorer, team, "special_teams_tds")
        elif not self.special and self.possession not in (None, team):
            self._add(number, player, team, "def_tds")

    def _sack(self, number: int, body: ev.Sack) -> None:
        self.account = "nothing"
        self._add(number, body.player, body.team, "sacks_suffered")
        self._add(
            number, body.player, body.team, "sack_yards_lost", body.start_yard - body.end_yard
        )
        for sacker in body.by:
            if body.by_team is not None:
                self._add(number, sacker, body.by_team, "half_sacks", 2 // len(body.by))

    def _fumble(self, number: int, body: ev.Fumble) -> None:
        self.loose.append((number, body))
        self.last_fumble = body
        self._add(number, body.player, body.team, "fumbles")
        if body.forced_by_team is not None:
            self._add(number, body.forced_by, body.forced_by_team, "fumbles_forced")

    def _recovery(self, number: int, body: ev.Recovery) -> None:
        if self.last_fumble is None:
            self.account = "return"  # a blocked kick or the kickers' own: nobody had fumbled
        else:
            is_own = self.last_fumble.team == body.team
            self.account = "own_recovery" if is_own else "recovery"
            # Out of bounds it went over by rule, and nobody recovered it.
            if body.player is not None or not self.last_fumble.out_of_bounds:
                self._add(
                    number,
                    body.player,
                    body.team,
                    "fumbles_recovered_own" if is_own else "fumbles_recovered_opp",
                )
        self.lost += [(n, fumble) for n, fumble in self.loose if fumble.team != body.team]
        self.loose.clear()
        self._touchdown(number, body.player, body.team)

    def _charge_lost_fumbles(self) -> None:
        """Charge lost fumbles once for each sack, carry and catch of their player on the play."""
        charged: set[str] = set()
        for number, fumble in self.lost:
            self._add(number, fumble.player, fumble.team, "fumbles_lost")
            if fumble.player is None or fumble.player in charged:
                continue
            charged.add(fumble.player)
            touches = sum(
                credit.amount
                for credit in self.earned
                if credit.player_id == fumble.player
                and credit.stat in ("sacks_suffered", "carries", "receptions")
            )
            self._add(number, fumble.player, fumble.team, "fumbles_lost_scoring", touches)

    def _kick(self, number: int, body: ev.Kick) -> None:
        self.account = _KICKED.get(body.kind, "nothing")
        if body.result == "aborted":
            return
        if body.kind == "extra_point":
            self._add(number, body.kicker, body.team, "pat_att")
            if body.result == "good":
                self._add(number, body.kicker, body.team, "pat_made")
        elif body.kind == "field_goal":
            self._field_goal(number, body)
        if body.result == "blocked" and body.blocked_by_team is not None:
            self._add(number, body.blocked_by, body.blocked_by_team, "kicks_blocked")

    def _field_goal(self, number: int, body: ev.Kick) -> None:
        self._add(number, body.kicker, body.team, "fg_att")
        if body.result == "good":
            self._add(number, body.kicker, body.team, "fg_made")
            if body.distance is not None:
                self._add(number, body.kicker, body.team, field_goal_bucket(body.distance))
        else:
            self._add(
                number,
                body.kicker,
                body.team,
                "fg_blocked" if body.result == "blocked" else "fg_missed",
            )

    def _conversion(self, number: int, body: ev.Conversion) -> None:
        if not body.good:
            return
        if body.side == "defence":
            self._add(number, body.player, body.team, "def_2pt")
        elif body.kind == "pass":
            self._add(number, body.passer, body.team, "passing_2pt")
            self._add(number, body.player, body.team, "receiving_2pt")
        else:
            self._add(number, body.player, body.team, "rushing_2pt")


_TACKLES = {
    "solo": ("tackles_solo",),
    "primary": ("tackles_assist", "tackles_with_assist"),
    "assist": ("tackles_assist", "tackle_assists"),
}
_CREDITS = {
    "pass_defended": "passes_defended",
    "qb_hit": "qb_hits",
    "tackle_for_loss": "tackles_for_loss",
}
_KICKED: dict[str, Account] = {
    "punt": "punt",
    "kickoff": "kickoff",
    "onside": "kickoff",
    "free_kick": "kickoff",
}
