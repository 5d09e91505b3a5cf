"""`pressbox backup` and `pressbox restore` on the embedded stack, as an operator types them."""

from __future__ import annotations

from pathlib import Path

from tests.embedded.running import pressbox


def test_a_backup_is_made_listed_and_restored_and_the_audit_says_so(store_folder: Path) -> None:
    var = store_folder / "var"
    made = pressbox("backup", PRESSBOX_VAR=var)
    assert made.returncode == 0, made.stderr
    name = made.stdout.partition(":")[0]
    assert "read back whole" in made.stdout
    assert pressbox("backup", "--list", PRESSBOX_VAR=var).stdout.startswith(f"{name}  ")
    done = pressbox("restore", name, "--yes", PRESSBOX_VAR=var)
    assert (done.returncode, f"Backup {name} is restored" in done.stderr) == (0, True), done.stderr
    assert f"backup:{name}" in pressbox("audit", "list", PRESSBOX_VAR=var).stdout
    unknown = pressbox("restore", "20200101T000000Z", "--yes", PRESSBOX_VAR=var)
    assert (unknown.returncode, "--list" in unknown.stderr) == (1, True)
