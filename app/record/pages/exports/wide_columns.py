"""The columns of one play in wide play-by-play: what happened, who did it, how far.

Pure; called by wide_csv.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.record import events as ev
from app.record.rules.drives import Snapped
from app.record.rules.stat_lines import is_special

# How many players a row has room for, by numbered column.
ROOM = {
    "solo_tackle": 2,
    "assist_tackle": 4,
    "tackle_with_assist": 2,
    "tackle_for_loss": 2,
    "qb_hit": 2,
    "pass_defense": 2,
    "fumbled": 2,
    "forced_fumble_player": 2,
    "fumble_recovery": 2,
}
FLAGS = (
    "qb_kneel",
    "qb_spike",
    "qb_scramble",
    "is_drop",
    "is_throw_away",
    "punt_blocked",
    "first_down_penalty",
    "incomplete_pass",
    "touchback",
    "interception",
    "punt_out_of_bounds",
    "punt_downed",
    "punt_fair_catch",
    "kickoff_out_of_bounds",
    "kickoff_downed",
    "kickoff_fair_catch",
    "fumble_forced",
    "fumble_not_forced",
    "fumble_out_of_bounds",
    "solo_tackle",
    "assist_tackle",
    "tackle_with_assist",
    "safety",
    "penalty",
    "tackled_for_loss",
    "fumble_lost",
    "own_kickoff_recovery",
    "own_kickoff_recovery_td",
    "qb_hit",
    "rush_attempt",
    "pass_attempt",
    "sack",
    "touchdown",
    "pass_touchdown",
    "rush_touchdown",
    "return_touchdown",
    "extra_point_attempt",
    "two_point_attempt",
    "field_goal_attempt",
    "kickoff_attempt",
    "punt_attempt",
    "fumble",
    "complete_pass",
    "lateral_reception",
    "lateral_rush",
    "lateral_return",
    "defensive_two_point_attempt",
    "defensive_two_point_conv",
    "defensive_extra_point_attempt",
    "defensive_extra_point_conv",
    "special",
    "sp",
    "timeout",
    "replay_or_challenge",
)

# Why a pass fell, in the flags of nflverse's charting files.
_FALLEN = {"dropped": ("is_drop",), "thrown_away": ("is_throw_away",)}


class PlayColumns:
    """Follows the ball through a play, as rules/stat_lines.py does, and fills the columns."""

    def __init__(self, play: Snapped, names: Mapping[str, str]) -> None:
        self.play = play
        self.names = names
        self.row: dict[str, Any] = dict.fromkeys(FLAGS, 0)
        self.count: dict[str, int] = {}
        self.account = ""  # what the current movement counts as; see rules/stat_lines.py
        self.carrier: str | None = None  # the player of its first movement
        self.gained = 0
        self.taken = 0
        self.fumbles: list[ev.Fumble] = []

    def cells(self) -> dict[str, Any]:
        """The cells of the play by column; missing columns are empty."""
        scorer = self.play.touchdown
        for body in self.play.bodies:
            self._follow(body)
            if body is scorer:
                self._touchdown(scorer)
        self.row["play_type"] = self._play_type()
        self.row["yards_gained"] = self.gained
        self.row["special"] = int(is_special(self.play.events))
        return self.row

    def _flag(self, *names: str) -> None:
        self.row.update(dict.fromkeys(names, 1))

    def _name(self, column: str, player: str | None) -> None:
        if player is not None:
            self.row[f"{column}_player_id"] = player
            self.row[f"{column}_player_name"] = self.names.get(player, player)

    def _next(self, column: str, team: str | None, player: str | None) -> int | None:
        """Fill the next free place of a numbered column; None if there is no room."""
        number = self.count.get(column, 0) + 1
        if number > ROOM[column] or (player is None and team is None):
            return None
        self.count[column] = number
        self.row[f"{column}_{number}_team"] = team
        self._name(f"{column}_{number}", player)
        return number

    def _add(self, column: str, yards: int) -> None:
        self.row[column] = self.row.get(column, 0) + yards

    def _follow(self, body: ev.Body) -> None:
        match body:
            case ev.Pass():
                self._pass(body)
            case ev.Sack():
                self._sack(body)
            case ev.Run():
                self._run(body)
            case ev.Kick():
                self._kick(body)
            case ev.Interception():
                self._interception(body)
            case ev.Fumble():
                self._fumble(body)
            case ev.Recovery():
                self._recovery(body)
            case ev.Conversion():
                self._conversion(body)
            case ev.Safety():
                self._flag("safety")
                self._name("safety", body.player)
            case ev.Tackle() | ev.Credit():
                self._defender(body)
            case ev.Penalty() | ev.Challenge():
                self._officials(body)

    def _pass(self, body: ev.Pass) -> None:
        self.account, self.carrier = "", None
        self._flag("pass_attempt")
        self._name("passer", body.passer)
        if body.result != "spike":
            self._name("receiver", body.receiver)
        if body.reception_yard is not None:
            self.row["air_yards"] = body.reception_yard - body.throw_yard
        if body.result == "complete":
            self.account, self.carrier = "pass", body.receiver
            self._flag("complete_pass")
            self.row.update(passing_yards=0, receiving_yards=0, yards_after_catch=0)
            self._gain(body.receiver, (body.reception_yard or 0) - body.throw_yard)
        elif body.result != "intercepted":
            self._flag("incomplete_pass")
        if body.result == "spike":
            self._flag("qb_spike")
        self.row.update(pass_length=body.length, pass_location=body.location)
        self._flag(*_FALLEN.get(body.incompletion or "", ()))

    def _gain(self, player: str | None, yards: int) -> None:
        """Add yards on a pass or a rush, to the first runner or to the one after a lateral.

        A third runner has no column.
        """
        is_first_runner = player == self.carrier
        if self.account == "pass":
            self._add("passing_yards", yards)
            self.gained += yards
            if is_first_runner:
                self._add("receiving_yards", yards)
            else:
                self._lateral(
                    "lateral_receiver",
                    "lateral_reception",
                    "lateral_receiving_yards",
                    player,
                    yards,
                )
        elif self.account == "rush":
            self.gained += yards
            if is_first_runner:
                self._add("rushing_yards", yards)
            else:
                self._lateral(
                    "lateral_rusher", "lateral_rush", "lateral_rushing_yards", player, yards
                )

    def _lateral(
        self, column: str, flag: str, yards_column: str, player: str | None, yards: int
    ) -> None:
        self._flag(flag)
        if self.row.get(f"{column}_player_id") in (None, player):
            self._name(column, player)
            self._add(yards_column, yards)

    def _sack(self, body: ev.Sack) -> None:
        self.account, self.carrier = "", None
        self._flag("sack")
        self._name("passer", body.player)
        self.gained = body.end_yard - body.start_yard
        if len(body.by) == 1:
            self._name("sack", body.by[0])
        for number, sacker in enumerate(body.by if len(body.by) > 1 else (), start=1):
            self._name(f"half_sack_{number}", sacker)

    def _run(self, body: ev.Run) -> None:
        yards = body.end_yard - body.start_yard
        if body.is_rush:
            self.account, self.carrier = "rush", body.player
            self._flag("rush_attempt")
            self._name("rusher", body.player)
            if body.kind != "rush":
                self._flag(f"qb_{body.kind}")
            self.row.update(run_location=body.location, run_gap=body.gap)
            self.row.setdefault("rushing_yards", 0)
        elif self.account == "pass" and body.kind == "after_catch":
            self._add("yards_after_catch", yards)
        elif body.kind in ("return", "after_lateral") and self.account in (
            "punt",
            "kickoff",
            "interception",
        ):
            self._return(body, yards)
        elif self.account == "recovery" and self.taken:
            self._add(f"fumble_recovery_{self.taken}_yards", yards)
        self._gain(body.player, yards)

    def _return(self, body: ev.Run, yards: int) -> None:
        column = "interception" if self.account == "interception" else f"{self.account}_returner"
        if self.carrier is None and self.account != "interception":
            self.carrier = body.player
            self._name(column, body.player)
            self.row.update(return_team=body.team, return_yards=0)
        if body.player == self.carrier:
            self._add("return_yards", yards)
        else:
            self._flag("lateral_return")
            self._name(f"lateral_{column}", body.player)

    def _kick(self, body: ev.Kick) -> None:
        self.account, self.carrier = "", None
        if body.distance is not None:
            self.row["kick_distance"] = body.distance
        if body.kind == "field_goal":
            if body.result != "aborted":
                self._flag("field_goal_attempt")
                self.row["field_goal_result"] = {"good": "made", "blocked": "blocked"}.get(
                    body.result, "missed"
                )
        elif body.kind == "extra_point":
            self._flag("extra_point_attempt")
            known = {"good": "good", "blocked": "blocked", "aborted": "aborted"}
            self.row["extra_point_result"] = known.get(body.result, "failed")
        elif body.kind == "punt":
            if body.result != "aborted":
                self.account = "punt"
                self._flag("punt_attempt")
        else:
            self.account = "kickoff"
            self._flag("kickoff_attempt")
        self._name("punter" if body.kind == "punt" else "kicker", body.kicker)
        if self.account and body.result in ("out_of_bounds", "downed", "fair_catch"):
            self._flag(f"{self.account}_{body.result}")
        if self.account and body.result == "touchback":
            self._flag("touchback")
        if body.result == "blocked":
            self._name("blocked", body.blocked_by)
            if body.kind == "punt":
                self._flag("punt_blocked")

    def _fumble(self, body: ev.Fumble) -> None:
        self.fumbles.append(body)
        self._flag("fumble")
        forced = body.forced_by is not None or body.forced_by_team is not None
        self._flag("fumble_forced" if forced else "fumble_not_forced")
        self._next("fumbled", body.team, body.player)
        if forced:
            self._next("forced_fumble_player", body.forced_by_team, body.forced_by)
        if body.out_of_bounds:
            self._flag("fumble_out_of_bounds")

    def _recovery(self, body: ev.Recovery) -> None:
        """Record the recovery of a fumble, or that the kickers recovered their kickoff.

        Other recoveries of a kick have no columns.
        """
        kickoff = self.account == "kickoff"
        self.account, self.carrier, self.taken = "kicked", body.player, 0
        if self.fumbles:
            self.account = "recovery"
            self.taken = self._next("fumble_recovery", body.team, body.player) or 0
            if self.taken:
                self.row[f"fumble_recovery_{self.taken}_yards"] = 0
            if any(fumble.team != body.team for fumble in self.fumbles):
                self._flag("fumble_lost")
        elif kickoff and body.team == self.play.snap.possession:
            self._flag("own_kickoff_recovery")
            self._name("own_kickoff_recovery", body.player)

    def _conversion(self, body: ev.Conversion) -> None:
        if body.side == "defence":
            kind = "extra_point" if self.row["extra_point_attempt"] else "two_point"
            self._flag(
                f"defensive_{kind}_attempt", *([f"defensive_{kind}_conv"] if body.good else [])
            )
            if body.good:
                self._name("td", body.player)
            return
        self._flag("two_point_attempt", "pass_attempt" if body.kind == "pass" else "rush_attempt")
        self.row["two_point_conv_result"] = "success" if body.good else "failure"
        if body.kind == "pass":
            self._name("passer", body.passer)
            self._name("receiver", body.player)
        else:
            self._name("rusher", body.player)

    def _defender(self, body: ev.Tackle | ev.Credit) -> None:
        if isinstance(body, ev.Tackle):
            column = {"solo": "solo_tackle", "assist": "assist_tackle"}.get(
                body.kind, "tackle_with_assist"
            )
            if body.tackler is not None and self._next(column, body.team, body.tackler):
                self._flag(column)
            return
        column = {"pass_defended": "pass_defense", "qb_hit": "qb_hit"}.get(
            body.kind, "tackle_for_loss"
        )
        if (
            body.player is not None
            and self._next(column, body.team, body.player)
            and column != "pass_defense"
        ):
            self._flag("tackled_for_loss" if column == "tackle_for_loss" else column)

    def _officials(self, body: ev.Penalty | ev.Challenge) -> None:
        if isinstance(body, ev.Penalty):
            self._penalty(body)
        elif body.ruling != "pending":
            self._flag("replay_or_challenge")
            ruling = {"overturned": "reversed", "stands": "stands"}.get(body.ruling, "upheld")
            self.row["replay_or_challenge_result"] = ruling

    def _interception(self, body: ev.Interception) -> None:
        self.account, self.carrier = "interception", body.player
        self._flag("interception")
        self._name("interception", body.player)
        self.row.update(return_team=body.team, return_yards=0)

    def _penalty(self, body: ev.Penalty) -> None:
        """Fill the columns of the row's one foul, the first that was not declined."""
        if body.status == "declined" or self.row["penalty"]:
            return
        self._flag("penalty", *(["first_down_penalty"] if body.outcome == "first_down" else []))
        self.row.update(penalty_team=body.team, penalty_yards=body.yards, penalty_type=body.foul)
        self._name("penalty", body.player)

    def _touchdown(self, body: ev.Pass | ev.Run | ev.Recovery | ev.Interception) -> None:
        self._flag("touchdown")
        self.row["td_team"] = body.team
        self._name("td", body.receiver if isinstance(body, ev.Pass) else body.player)
        if self.account in ("pass", "rush"):
            self._flag(f"{self.account}_touchdown")
        elif self.account in ("interception", "punt", "kickoff"):
            self._flag("return_touchdown")
        elif self.account == "kicked" and self.row["own_kickoff_recovery"]:
            self._flag("own_kickoff_recovery_td")

    def _play_type(self) -> str:
        row = self.row
        for flag, play_type in (
            ("kickoff_attempt", "kickoff"),
            ("punt_attempt", "punt"),
            ("field_goal_attempt", "field_goal"),
            ("extra_point_attempt", "extra_point"),
            ("qb_kneel", "qb_kneel"),
            ("qb_spike", "qb_spike"),
            ("sack", "pass"),
            ("pass_attempt", "pass"),
            ("rush_attempt", "run"),
            ("fumble", "run"),
        ):
            if row[flag]:
                return play_type
        return "no_play"
