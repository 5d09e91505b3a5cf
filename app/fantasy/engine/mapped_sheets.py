"""The ownership of a whole locked gameweek in mapped files, read from PostgreSQL once.

Sheets of a locked gameweek do not change, so the files serve every play. Reads only.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import text

from app.core.db import db
from app.fantasy.engine.footballers import SheetTerms
from app.fantasy.engine.ownership import Ownership
from app.fantasy.sheets.lineups import Lineups

SLICE = 50_000  # sheets read in one statement
SEPARATOR = "\x1f"  # in no id

# Member, captain, vice-captain and picks of each sheet as one text, because a million rows are too
# many Python objects.
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
class MappedSheets:
    """Team sheets in the order of `members`, the ids of their owners."""

    members: NDArray[np.int64]
    ownership: Ownership


def mapped_sheets(folder: Path, terms: SheetTerms, version: int) -> MappedSheets:
    """The gameweek's sheets under these team rules, from the files of this version.

    The files are written if they are missing, and replace those of older versions.
    """
    name = f"sheets-{terms.gameweek_id}-{terms.team_rules_id}"
    files = folder / f"{name}-{version}"
    if not files.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            _write_files(Path(temporary) / "new", terms)
            for old in folder.glob(f"{name}-*"):
                shutil.rmtree(old)
            (Path(temporary) / "new").rename(files)
    owned, captain, vice, members = (
        np.load(files / f"{array}.npy", mmap_mode="r")
        for array in ("owned", "captain", "vice", "members")
    )
    footballers = (files / "players").read_text("utf-8").split(SEPARATOR)
    return MappedSheets(
        members, Ownership(terms.format, footballers, Lineups(owned, captain, vice))
    )


def _write_files(files: Path, terms: SheetTerms) -> None:
    places = len(terms.format.places)
    index = {"": 0}
    owned, heads, after = [], [], 0
    while True:
        values = {
            "gameweek": terms.gameweek_id,
            "team_rules": terms.team_rules_id,
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
