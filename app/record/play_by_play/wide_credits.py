"""Turns the wide columns of a play-by-play row back into the official credits.

This module knows the columns of each stat id; it is used if a play has no play_stats. Some credits
cannot be recovered: the primary one of several assisting tacklers (files without tackle_with_assist
columns), a third player in a chain of laterals, a player's second fumble on a play, a second
penalty. Source: the tables in nflfastR's helper_tidy_play_stats; the column names are nflscrapR's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from app.core.csv_files import Row
from app.record.play_by_play.playstats import StatRow
from app.record.play_by_play.stat_ids import (
    EXTRA_POINT_BLOCKED,
    FIELD_GOAL_BLOCKED,
    INTERCEPTED,
    OWN_RECOVERY,
)
from app.record.rules.clubs import player_id, same_club

# stat id of a scoring movement by the id of the same movement without a touchdown
_SCORING = {
    10: 11,
    12: 13,
    15: 16,
    21: 22,
    23: 24,
    25: 26,
    27: 28,
    33: 34,
    35: 36,
    45: 46,
    47: 48,
    55: 56,
    57: 58,
    59: 60,
    61: 62,
    63: 64,
    107: 108,
}
# In nflverse's words (`sacked at HRB 31 for -9 yards`), Pressbox's (`sacked at the HRB 31 for -9`)
# and those of its older files (`is sacked by T.Wall for a loss of 9`).
_SACKED_FOR = re.compile(r"\bsacked\b.*? for (?:a loss of (\d{1,3})\b|(-?\d{1,3})\b|no gain)")
_RETURNS = (27, 25, 35, 33, 47, 45)  # the last runner comes first


def credits_of(row: Row, offence: str, defence: str) -> tuple[StatRow, ...]:
    """The play's credits, in the order of the game.

    `offence` is the file's possession team (posteam).
    """
    return tuple(_Spread(row, offence, defence).gather())


def penalized(row: Row) -> str | None:
    """The player whom the columns name for the foul on the play."""
    return player_id(row.text("penalty_player_id"))


class _Spread:
    def __init__(self, row: Row, offence: str, defence: str) -> None:
        self.row = row
        self.offence = offence
        self.defence = defence
        self.rows: list[StatRow] = []

    def gather(self) -> list[StatRow]:
        self._kicks()
        if self.row.flag("two_point_attempt"):
            self._two_points()
        else:
            self._pass()
            self._rush()
        self._interception()
        self._fumbles()
        self._touchdown()
        self._defenders()
        self._flags()
        return self.rows

    def _named(self, stat: int, team: str | None, column: str, yards: int | None = 0) -> bool:
        """Add a credit for the player in the columns `..._player_id` and `_name`.

        False if the columns are empty.
        """
        player = player_id(self.row.text(f"{column}_player_id"))
        if player is None:
            return False
        self.rows.append(
            StatRow(stat, yards or 0, team or "", player, self.row.text(f"{column}_player_name"))
        )
        return True

    def _add(self, stat: int, team: str | None, column: str = "", yards: int | None = 0) -> None:
        """Add a credit for the player in the columns, or for the team if they are empty."""
        if not column or not self._named(stat, team, column, yards):
            self.rows.append(StatRow(stat, yards or 0, team or "", None, None))

    def _kicks(self) -> None:
        row, distance = self.row, self.row.number("kick_distance")
        if row.flag("punt_attempt"):
            self._punt(distance)
        if row.flag("kickoff_attempt"):
            self._kickoff(distance)
        if (result := row.text("field_goal_result")) is not None:
            stat = {"made": 70, "missed": 69, "blocked": 71}.get(result)
            if stat is None:
                raise row.error(
                    "field_goal_result", f"must be made, missed or blocked, not {result!r}"
                )
            self._add(stat, self.offence, "kicker", distance)
            if stat == FIELD_GOAL_BLOCKED:
                self._named(88, self.defence, "blocked")
        if (result := row.text("extra_point_result")) is not None:
            stat = {"good": 72, "failed": 73, "blocked": 74, "aborted": 301, "safety": 96}.get(
                result
            )
            if stat is None:
                raise row.error(
                    "extra_point_result",
                    f"must be good, failed, blocked or aborted, not {result!r}",
                )
            self._add(stat, self.offence, "kicker")
            if stat == EXTRA_POINT_BLOCKED:
                self._named(87, self.defence, "blocked")
        self._defensive_points()

    def _punt(self, distance: int | None) -> None:
        row = self.row
        if row.flag("punt_blocked"):
            self._add(2, self.offence, "punter")
            self._named(86, self.defence, "blocked")
        else:
            self._add(29, self.offence, "punter", distance)
        if row.flag("touchback"):
            self._add(32, self.offence, "punter")
        for column, stat in (("punt_out_of_bounds", 37), ("punt_downed", 38)):
            if row.flag(column):
                self._add(stat, self.defence)
        fair = row.flag("punt_fair_catch")
        returner = row.text("return_team") or self.defence
        self._named(39 if fair else 33, returner, "punt_returner", row.number("return_yards"))
        self._named(35, returner, "lateral_punt_returner")

    def _kickoff(self, distance: int | None) -> None:
        row = self.row
        receivers = row.text("return_team") or self.offence
        if row.text("return_team") is None and same_club(
            row.text("side_of_field") or "", self.offence
        ):
            receivers = self.defence  # kickers kick from their own side
        kickers = self.defence if same_club(receivers, self.offence) else self.offence
        self._add(41, kickers, "kicker", distance)
        if row.flag("touchback"):
            self._add(44, kickers)
        for column, stat in (("kickoff_out_of_bounds", 49), ("kickoff_downed", 102)):
            if row.flag(column):
                self._add(stat, receivers)
        fair = row.flag("kickoff_fair_catch")
        self._named(50 if fair else 45, receivers, "kickoff_returner", row.number("return_yards"))
        self._named(47, receivers, "lateral_kickoff_returner")
        self._named(107, kickers, "own_kickoff_recovery")

    def _defensive_points(self) -> None:
        row = self.row
        for tried, good, stats in (
            ("defensive_two_point_attempt", "defensive_two_point_conv", (403, 404)),
            ("defensive_extra_point_attempt", "defensive_extra_point_conv", (405, 406)),
        ):
            if row.flag(good):
                self._add(stats[1], self.defence, "td")
            elif row.flag(tried):
                self._add(stats[0], self.defence)

    def _two_points(self) -> None:
        good = self.row.text("two_point_conv_result") == "success"
        if self._named(77 if good else 78, self.offence, "passer"):
            self._named(104 if good else 105, self.offence, "receiver")
        else:
            self._named(75 if good else 76, self.offence, "rusher")
        if not any(row.stat in (75, 76, 77, 78) for row in self.rows):
            stat = 77 if self.row.flag("pass_attempt") else 75
            self._add(stat if good else stat + 1, self.offence)

    def _pass(self) -> None:
        row = self.row
        if row.flag("sack"):
            self._add(20, self.offence, "passer", self._sack_yards())
            return
        complete = row.flag("complete_pass")
        yards = self._player_yards("passing_yards") if complete else 0
        stat = 14
        if complete:
            stat = 15
        elif row.flag("interception"):
            stat = INTERCEPTED
        air = row.number("air_yards")
        if self._named(stat, self.offence, "passer", yards):
            if air is not None:
                self._named(111 if complete else 112, self.offence, "passer", air)
        elif complete or row.flag("interception") or row.flag("incomplete_pass"):
            self._add(stat, self.offence, yards=yards)
        else:
            return
        lateral = row.number("lateral_receiving_yards")
        if "lateral_receiving_yards" not in row and row.flag("lateral_reception"):
            # the figure in older files is that of the last runner
            lateral = row.number("yards_after_catch")
        if complete:
            caught = row.number("receiving_yards")
            self._named(
                21,
                self.offence,
                "receiver",
                (yards or 0) - (lateral or 0) if caught is None else caught,
            )
            self._named(23, self.offence, "lateral_receiver", lateral)
        self._named(115, self.offence, "receiver")

    def _rush(self) -> None:
        row = self.row
        self._named(10, self.offence, "rusher", self._player_yards("rushing_yards"))
        self._named(12, self.offence, "lateral_rusher", row.number("lateral_rushing_yards"))

    def _sack_yards(self) -> int:
        """The yards of a sack without those of a run after a fumble, which belong to the recovery.

        The description has the league's number, after a review the last one. Without a description,
        `yards_gained` includes the recovery in files that also have each player's yards, such as
        nflverse's today.
        """
        if losses := _SACKED_FOR.findall(self.row.text("desc") or ""):
            loss, yards = losses[-1]
            return -int(loss) if loss else int(yards or 0)
        gained = self.row.number("yards_gained") or 0
        alone = gained - self._recovered_yards() if "rushing_yards" in self.row else gained
        return alone if alone <= 0 else gained  # a sack gains no yards

    def _player_yards(self, column: str) -> int | None:
        """The yards of a passer or runner, or those of the play if the row lacks them.

        In older files, which have no such columns, the yards of the play exclude recoveries.
        """
        yards, gained = self.row.number(column), self.row.number("yards_gained")
        if yards is not None or gained is None or column not in self.row:
            return gained if yards is None else yards
        return gained - self._recovered_yards()

    def _recovered_yards(self) -> int:
        """The yards that the offence ran after recovering its own fumbles."""
        row = self.row
        return sum(
            row.number(f"fumble_recovery_{n}_yards") or 0
            for n in (1, 2)
            if same_club(row.text(f"fumble_recovery_{n}_team") or "", self.offence)
        )

    def _interception(self) -> None:
        if self.row.flag("interception"):
            self._named(25, self.defence, "interception", self.row.number("return_yards"))
            self._named(27, self.defence, "lateral_interception")

    def _fumbles(self) -> None:
        row = self.row
        fumblers = [n for n in (1, 2) if row.text(f"fumbled_{n}_player_id", f"fumbled_{n}_team")]
        forcers = [
            n
            for n in (1, 2)
            if row.text(f"forced_fumble_player_{n}_player_id", f"forced_fumble_player_{n}_team")
        ]
        teams = [self._team(f"fumbled_{n}_team") for n in fumblers]
        for n, team in zip(fumblers, teams, strict=True):
            forced = row.flag("fumble_forced") and (
                not row.flag("fumble_not_forced") or len(forcers) >= n
            )
            self._add(52 if forced else 53, team, f"fumbled_{n}")
        if fumblers and row.flag("fumble_out_of_bounds"):
            last = fumblers[-1]
            self._add(54, teams[-1], f"fumbled_{last}")
        for n in forcers:
            column = f"forced_fumble_player_{n}"
            self._add(91, self._team(f"{column}_team"), column)
        self._recoveries(fumblers, teams)

    def _recoveries(self, fumblers: Sequence[int], teams: Sequence[str]) -> None:
        """Add recoveries and lost fumbles; the file only says that some fumble was lost."""
        row = self.row
        recoveries = [
            n
            for n in (1, 2)
            if row.text(f"fumble_recovery_{n}_player_id", f"fumble_recovery_{n}_team")
        ]
        takers = [self._team(f"fumble_recovery_{n}_team") for n in recoveries]
        for place, (n, team) in enumerate(zip(recoveries, takers, strict=True)):
            if len(recoveries) < len(teams):
                is_own = not row.flag("fumble_lost") or all(
                    same_club(team, loser) for loser in teams
                )
            else:
                is_own = not teams or same_club(team, teams[min(place, len(teams) - 1)])
            stat = 55 if is_own else 59
            yards = row.number(f"fumble_recovery_{n}_yards")
            self._add(stat, team, f"fumble_recovery_{n}", yards)
        if not row.flag("fumble_lost"):
            return
        lost = [
            n
            for place, (n, team) in enumerate(zip(fumblers, teams, strict=True))
            if len(fumblers) == 1
            or (len(takers) == len(teams) and not same_club(takers[place], team))
            or (len(takers) < len(teams) and (not takers or not same_club(takers[-1], team)))
        ]
        if len(takers) < len(teams):
            lost = lost[-1:]  # two players fumbled the same loose ball: the last one lost it
        for n in lost or fumblers[-1:]:
            self._add(106, self._team(f"fumbled_{n}_team"), f"fumbled_{n}")

    def _team(self, column: str) -> str:
        return self.row.text(column) or self.offence

    def _touchdown(self) -> None:
        """Turn the scorer's credit into that of the same movement with a touchdown."""
        row = self.row
        if not row.flag("touchdown"):
            return
        scorer, team = player_id(row.text("td_player_id")), row.text("td_team")
        if row.flag("pass_touchdown"):
            self._score((15,), None, None)
            if not self._score((23, 21), scorer, None):  # a third runner after a second lateral
                self._add(24, team or self.offence, "td")
        elif row.flag("rush_touchdown"):
            if not self._score((12, 10), scorer, None):
                self._add(13, team or self.offence, "td")
        elif row.flag("return_touchdown"):
            self._score(_RETURNS, scorer, None) or self._score(_RETURNS, None, None)
        elif row.flag("own_kickoff_recovery_td"):
            self._score((107,), None, None)
        elif not (
            self._score((55, 59), scorer, team)
            or (scorer is None and self._score((55, 59), None, team))
        ):
            self._stray_touchdown(scorer, team or self.offence)

    def _stray_touchdown(self, scorer: str | None, team: str) -> None:
        """Add a touchdown that no other column explains.

        It came after a lateral on a recovery, or with a blocked kick.
        """
        stats = {row.stat for row in self.rows}
        if stats & {55, 59}:
            stat = 58 if OWN_RECOVERY in stats else 62
        elif self.row.flag("kickoff_attempt") or self.row.flag("punt_attempt") or stats & {69, 71}:
            stat = 64
        elif stats & {52, 53}:
            is_own = any(row.stat in (52, 53) and same_club(row.team, team) for row in self.rows)
            stat = 56 if is_own else 60
        else:
            stat = 64
        self.rows.append(StatRow(stat, 0, team, scorer, self.row.text("td_player_name")))

    def _score(self, stats: Sequence[int], scorer: str | None, team: str | None) -> bool:
        """Turn the first of these credits into a touchdown, if this player and team have one.

        None stands for any player or team.
        """
        for stat in stats:
            for place, row in enumerate(self.rows):
                is_scorers = scorer is None or row.player == scorer
                is_teams = team is None or same_club(row.team, team)
                if row.stat == stat and is_scorers and is_teams:
                    self.rows[place] = replace(row, stat=_SCORING[stat])
                    return True
        return False

    def _defenders(self) -> None:
        row = self.row
        if row.flag("sack") and not self._named(83, self.defence, "sack"):
            self._named(84, self.defence, "half_sack_1")
            self._named(84, self.defence, "half_sack_2")
        for n in (1, 2):
            self._named(85, self.defence, f"pass_defense_{n}")
            self._named(110, self.defence, f"qb_hit_{n}")
            self._named(120, self.defence, f"tackle_for_loss_{n}")
            self._named(79, row.text(f"solo_tackle_{n}_team") or self.defence, f"solo_tackle_{n}")
            self._named(
                80,
                row.text(f"tackle_with_assist_{n}_team") or self.defence,
                f"tackle_with_assist_{n}",
            )
        for n in (1, 2, 3, 4):
            self._named(
                82, row.text(f"assist_tackle_{n}_team") or self.defence, f"assist_tackle_{n}"
            )

    def _flags(self) -> None:
        row = self.row
        if row.flag("safety"):
            self._add(89, self.defence, "safety")
        if row.text("penalty_team") and row.flag("penalty"):
            team, yards = row.text("penalty_team"), row.number("penalty_yards")
            self._add(93, team, "penalty", yards)
        if row.flag("timeout") and row.text("timeout_team"):
            self._add(68, row.text("timeout_team"))
