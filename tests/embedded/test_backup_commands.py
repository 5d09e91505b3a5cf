"""`pressbox backup` and `pressbox restore` on a stopped Pressbox, whose stores each command starts for itself."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.commands import run_pressbox
from tests.store_template import prepared_var


def test_a_backup_is_made_listed_and_restored_and_the_audit_says_so(store_folder: Path) -> None:
    prepared_var(store_folder / "var")
    pressbox = partial(run_pressbox, PRESSBOX_VAR=store_folder / "var")
    made = pressbox("backup")
    assert made.exit_code == 0, made.stderr
    name = made.stdout.partition(":")[0]
    assert "read back whole" in made.stdout
    assert pressbox("backup", "--list").stdout.startswith(f"{name}  ")
    restored = pressbox("restore", name, "--yes")
    assert (restored.exit_code, f"Backup {name} is restored" in restored.stderr) == (0, True), restored.stderr
    assert f"backup:{name}" in pressbox("audit", "list").stdout
    unknown = pressbox("restore", "20200101T000000Z", "--yes")
    assert (unknown.exit_code, "--list" in unknown.stderr) == (1, True)
