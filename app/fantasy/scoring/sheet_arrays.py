"""All team sheets of a gameweek as arrays in mapped files, read from PostgreSQL once: those of a
locked gameweek do not change. What is added up is the rule of sheets/lineups.py. Reads only.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import text

from app.core.db import db
from app.fantasy.scoring.sheet_points import PlayedBy, footballers_of
from app.fantasy.sheets.lineups import Footballers, Lineups, Numbers, counted, totals

SLICE = 50_000  # sheets read in one statement
SEPARATOR = "\x1f"  # in no id

# Of each sheet its member, captain, vice-captain and picks, as one text: a million rows are not
# objects of Python.
_SLICE = text("""
    SELECT count(*), max(member_id),
      string_agg(concat_ws(CAST(:s AS text), member_id, captain, vice_captain), CAST(:s AS text)
        ORDER BY member_id),
      string_agg(array_to_string(picks, CAST(:s AS text)), CAST(:s AS text) ORDER BY member_id)
    FROM (
      SELECT member_id, captain, vice_captain, picks FROM team_sheets
      WHERE gameweek_id = :gameweek AND team_rules_id = :team_rules AND member_id > :after
      ORDER BY member_id LIMIT :slice
    ) s
""")


@dataclass(frozen=True)
class SheetArrays:
    """n sheets, by member.

    `players`: ids of everybody whom somebody picked; `lineups.owned` counts them from 1, 0 is
    nobody.
    """

    members: NDArray[np.int64]
    players: list[str]
    lineups: Lineups

    def rows_of(self, touched: Collection[str]) -> NDArray[np.intp]:
        """The sheets that own one of these."""
        is_touched = np.array([False, *(player in touched for player in self.players)])
        return np.flatnonzero(is_touched[self.lineups.owned].any(axis=1))

    def points(
        self,
        gameweek_id: int,
        season_id: int,
        played_by: PlayedBy,
        rules: str,
        rows: NDArray[np.intp],
    ) -> Numbers:
        """Points of these sheets as footballers count now, thousandths, before the cost of
        transfers.
        """
        week = footballers_of(gameweek_id, season_id, self.players, played_by, rules)
        order = np.array([0, *(week.index.get(player, 0) for player in self.players)])
        found = week.footballers
        footballers = Footballers(
            found.points[order],
            found.held[order],
            found.group[order],
            found.played[order],
            found.over[order],
        )
        lineups = Lineups(
            self.lineups.owned[rows], self.lineups.captain[rows], self.lineups.vice_captain[rows]
        )
        return totals(lineups, counted(played_by.format, lineups, footballers), footballers)[0]


def sheet_arrays(folder: Path, gameweek_id: int, played_by: PlayedBy, version: int) -> SheetArrays:
    """The gameweek's sheets under these team rules, from the files of this version.

    Those are made where missing, in the place of any older version's.
    """
    name = f"sheets-{gameweek_id}-{played_by.team_rules_id}"
    files = folder / f"{name}-{version}"
    if not files.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as made:
            _read(Path(made) / "new", gameweek_id, played_by)
            for old in folder.glob(f"{name}-*"):
                shutil.rmtree(old)
            (Path(made) / "new").rename(files)
    owned, captain, vice, members = (
        np.load(files / f"{one}.npy", mmap_mode="r")
        for one in ("owned", "captain", "vice", "members")
    )
    players = (files / "players").read_text("utf-8").split(SEPARATOR)
    return SheetArrays(members, players, Lineups(owned, captain, vice))


def _read(files: Path, gameweek_id: int, played_by: PlayedBy) -> None:
    places = len(played_by.format.places)
    index = {"": 0}
    owned, heads, after = [], [], 0
    while True:
        values = {
            "gameweek": gameweek_id,
            "team_rules": played_by.team_rules_id,
            "slice": SLICE,
            "s": SEPARATOR,
        }
        count, last, head, picks = db.session.execute(_SLICE, values | {"after": after}).one()
        if not count:
            break
        named = picks.split(SEPARATOR)
        for player in sorted(set(named) - index.keys()):
            index[player] = len(index)
        owned.append(
            np.fromiter(map(index.__getitem__, named), np.int32, len(named)).reshape(count, places)
        )
        heads.append(np.array(head.split(SEPARATOR), np.int64).reshape(count, 3))
        after = last
    files.mkdir()
    head_rows = np.concatenate([np.empty((0, 3), np.int64), *heads])
    np.save(files / "owned.npy", np.concatenate([np.empty((0, places), np.int32), *owned]))
    np.save(files / "captain.npy", (head_rows[:, 1] - 1).astype(np.int8))
    np.save(files / "vice.npy", (head_rows[:, 2] - 1).astype(np.int8))
    np.save(files / "members.npy", head_rows[:, 0])
    (files / "players").write_text(SEPARATOR.join(list(index)[1:]), "utf-8")
