"""What each footballer did, from the valid events of a game. Pure.

Lives here: credits (one for each event that earned something) and stat lines (their sums).
Not here: what a stat is worth (app/fantasy/scoring.py).
Inside a play the events form a chain in order of event number: who ran after what is read from the chain,
and a ruling keeps the place of the event that it replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from app.record import events as ev

STATS = (
    "completions", "attempts", "passing_yards", "passing_tds", "passing_interceptions", "sacks_suffered",
    "sack_yards_lost", "passing_2pt", "carries", "rushing_yards", "rushing_tds", "rushing_2pt", "targets",
    "receptions", "receiving_yards", "receiving_tds", "receiving_2pt", "fumbles", "fumbles_lost",
    "fumbles_lost_scoring", "special_teams_tds", "def_tds", "fumble_recovery_tds", "tackles_solo", "tackles_assist",
    "tackles_with_assist", "half_sacks", "interceptions_made", "passes_defended", "fumbles_forced",
    "fumbles_recovered_own", "fumbles_recovered_opp", "fg_att", "fg_made", "fg_made_0_19", "fg_made_20_29",
    "fg_made_30_39", "fg_made_40_49", "fg_made_50_59", "fg_made_60_plus", "fg_missed", "fg_blocked", "pat_att",
    "pat_made", "punt_returns", "kickoff_returns", "qb_hits", "tackles_for_loss",
)  # fmt: skip


@dataclass(frozen=True)
class Credit:
    """`amount` of a stat that event `event_number` earned a player. Sacks count in halves: `half_sacks` 2 is one."""

    event_number: int
    player_id: str
    team: str
    stat: str
    amount: int


@dataclass(frozen=True)
class StatLine:
    team: str
    stats: dict[str, int]


def credits(events: Iterable[tuple[int, int, ev.Body]]) -> list[Credit]:
    """All credits of the valid events, given as (event number, play number, body) in any order.

    Ordered by play and event number. A movement credited to nobody by name earns nobody anything.
    """
    found: list[Credit] = []
    in_order = sorted(events, key=lambda event: (event[1], event[0]))
    for _, play in groupby(in_order, key=lambda event: event[1]):
        chain = _Chain(list(play))
        found += chain.credits()
    return found


def stat_lines(credits: Iterable[Credit]) -> dict[str, StatLine]:
    """Sums by player; stats that come to nothing are left out, players who earned a credit stay."""
    lines: dict[str, StatLine] = {}
    for credit in credits:
        line = lines.setdefault(credit.player_id, StatLine(credit.team, {}))
        line.stats[credit.stat] = line.stats.get(credit.stat, 0) + credit.amount
    return {
        player: StatLine(line.team, {stat: amount for stat, amount in line.stats.items() if amount})
        for player, line in lines.items()
    }


Carrier = Literal["rush", "catch", "return", "recovery"]


class _Chain:
    """One play, walked from the snap to the whistle."""

    def __init__(self, play: list[tuple[int, int, ev.Body]]) -> None:
        self.play = [(number, body) for number, _, body in play]
        bodies = [body for _, body in self.play]
        self.kicked = next((body for body in bodies if isinstance(body, ev.Kick)), None)
        self.found: list[Credit] = []
        self.passed: ev.Pass | None = None  # the completed pass whose yards are still being gained
        self.carrier: Carrier | None = None
        self.loose: Literal["fumble", "block", "kick"] | None = None
        self.scored: set[str] = set()

    def credits(self) -> list[Credit]:
        for number, body in self.play:
            self.number = number
            self._walk(body)
        self._fumbles_lost()
        return self.found

    def _add(self, player: str | None, team: str | None, stat: str, amount: int = 1) -> None:
        if player is not None and team is not None:
            self.found.append(Credit(self.number, player, team, stat, amount))

    def _walk(self, body: ev.Body) -> None:
        match body:
            case ev.Pass():
                self._pass(body)
            case ev.Run():
                self._run(body)
            case ev.Sack():
                self._add(body.player, body.team, "sacks_suffered")
                self._add(body.player, body.team, "sack_yards_lost", body.start_yard - body.end_yard)
                for sacker in body.by:
                    self._add(sacker, body.by_team or "", "half_sacks", 2 // len(body.by))
            case ev.Fumble():
                self.loose = "fumble"
                self._add(body.player, body.team, "fumbles")
                self._add(body.forced_by, body.forced_by_team or "", "fumbles_forced")
            case ev.Recovery():
                self._recovery(body)
            case ev.Interception():
                self.passed, self.carrier = None, "return"
                self._add(body.player, body.team, "interceptions_made")
                if body.is_touchdown:
                    self._return_touchdown(body.player, body.team)
            case ev.Kick():
                self._kick(body)
            case ev.Conversion():
                self._conversion(body)
            case ev.Tackle():
                self._add(body.tackler, body.team, "tackles_assist" if body.kind == "assist" else "tackles_solo")
                if body.kind == "primary":
                    self._add(body.tackler, body.team, "tackles_with_assist")
            case ev.Credit():
                stat = {"pass_defended": "passes_defended", "qb_hit": "qb_hits"}.get(body.kind, "tackles_for_loss")
                self._add(body.player, body.team, stat)

    def _pass(self, body: ev.Pass) -> None:
        self._add(body.passer, body.team, "attempts")
        if body.result != "spike":
            self._add(body.receiver, body.team, "targets")
        if body.result == "intercepted":
            self._add(body.passer, body.team, "passing_interceptions")
        if body.result != "complete" or body.reception_yard is None:
            return
        self.passed, self.carrier = body, "catch"
        self._add(body.passer, body.team, "completions")
        self._add(body.receiver, body.team, "receptions")
        self._pass_yards(body.receiver, body.team, body.reception_yard - body.throw_yard, body.is_touchdown)

    def _pass_yards(self, player: str | None, team: str, yards: int, is_touchdown: bool) -> None:
        """Yards of a completed pass belong to the passer and to whoever gained them."""
        assert self.passed is not None
        self._add(self.passed.passer, self.passed.team, "passing_yards", yards)
        self._add(player, team, "receiving_yards", yards)
        if is_touchdown and "pass" not in self.scored:
            self.scored.add("pass")
            self._add(self.passed.passer, self.passed.team, "passing_tds")
            self._add(player, team, "receiving_tds")

    def _run(self, body: ev.Run) -> None:
        yards = body.end_yard - body.start_yard
        if body.is_rush:
            self.carrier = "rush"
            self._add(body.player, body.team, "carries")
        elif body.kind == "return":
            self._returned(body)
        elif body.kind == "after_recovery":
            self.carrier = "recovery"
        if self.carrier == "rush":
            self._add(body.player, body.team, "rushing_yards", yards)
            if body.is_touchdown:
                self._add(body.player, body.team, "rushing_tds")
        elif self.carrier == "catch" and self.passed is not None:
            self._pass_yards(body.player, body.team, yards, body.is_touchdown)
        elif body.is_touchdown and self.carrier == "recovery":
            self._recovery_touchdown(body.player, body.team)
        elif body.is_touchdown:
            self._return_touchdown(body.player, body.team)

    def _returned(self, body: ev.Run) -> None:
        if self.carrier != "return" and self.kicked is not None:
            self._add(body.player, body.team, "punt_returns" if self.kicked.kind == "punt" else "kickoff_returns")
        self.carrier = "return"

    def _return_touchdown(self, player: str | None, team: str) -> None:
        self._add(player, team, "def_tds" if self.kicked is None else "special_teams_tds")

    def _recovery(self, body: ev.Recovery) -> None:
        if self.loose == "fumble":
            last = next(b for n, b in reversed(self.play) if isinstance(b, ev.Fumble) and n < self.number)
            own = last.team == body.team
            self._add(body.player, body.team, "fumbles_recovered_own" if own else "fumbles_recovered_opp")
        self.carrier = "recovery"
        if body.is_touchdown:
            self._recovery_touchdown(body.player, body.team)

    def _recovery_touchdown(self, player: str | None, team: str) -> None:
        """A blocked or an own kick brought in is a special-teams touchdown, a fumble brought in is not."""
        self._add(player, team, "fumble_recovery_tds" if self.loose == "fumble" else "special_teams_tds")

    def _kick(self, body: ev.Kick) -> None:
        self.carrier = None
        self.loose = "block" if body.result == "blocked" else "kick"
        if body.kind == "field_goal" and body.result != "aborted":
            self._add(body.kicker, body.team, "fg_att")
            if body.result == "good":
                self._add(body.kicker, body.team, "fg_made")
                self._add(body.kicker, body.team, f"fg_made_{_bucket(body.distance or 0)}")
            else:
                self._add(body.kicker, body.team, "fg_blocked" if body.result == "blocked" else "fg_missed")
        elif body.kind == "extra_point" and body.result != "aborted":
            self._add(body.kicker, body.team, "pat_att")
            if body.result == "good":
                self._add(body.kicker, body.team, "pat_made")

    def _conversion(self, body: ev.Conversion) -> None:
        if not body.good or body.side == "defence":
            return
        if body.kind == "pass":
            self._add(body.passer, body.team, "passing_2pt")
            self._add(body.player, body.team, "receiving_2pt")
        else:
            self._add(body.player, body.team, "rushing_2pt")

    def _fumbles_lost(self) -> None:
        """A fumble is lost when the ball's next recovery is the other side's.

        It costs fantasy points only him who fumbled his own sack, carry or catch.
        """
        earned = {(c.player_id, c.stat) for c in self.found if c.stat in ("sacks_suffered", "carries", "receptions")}
        charged = {player for player, _ in earned}
        for place, (number, body) in enumerate(self.play):
            if not isinstance(body, ev.Fumble):
                continue
            after = next((b for _, b in self.play[place + 1 :] if isinstance(b, ev.Recovery | ev.Fumble)), None)
            if isinstance(after, ev.Recovery) and after.team != body.team:
                self.number = number
                self._add(body.player, body.team, "fumbles_lost")
                if body.player in charged:
                    self._add(body.player, body.team, "fumbles_lost_scoring")


def _bucket(distance: int) -> str:
    if distance >= 60:
        return "60_plus"
    tens = distance // 10 * 10
    return "0_19" if tens < 20 else f"{tens}_{tens + 9}"
