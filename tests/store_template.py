"""A data folder with an initialised and migrated PostgreSQL, made once and copied per test.

The template is cached in `.pytest_cache/stores` and shared by all sessions and xdist workers of
this checkout. A change of the migrations, of how PostgreSQL is started or of its version makes a
new one. `make clean` removes it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from app import create_worker_app
from app.core.db import db, migrations
from app.core.postgres.timeouts import Use
from app.embedded.postgres import _programs_of_wheel
from app.embedded.stack import Programs, Stack
from app.settings import Settings
from tests.embedded.programs import wanted_programs

ROOT = Path(__file__).parent.parent
CACHE = ROOT / ".pytest_cache" / "stores"
INGREDIENTS = (
    *(ROOT / "migrations").rglob("*"),
    ROOT / "app" / "embedded" / "postgres.py",
    ROOT / "app" / "core" / "roles.py",
    ROOT / "app" / "core" / "schema.py",
    Path(__file__),
)
# The data of tests need not survive a crash; nobody replicates them, and the tables are emptied all
# the time.
FAST_SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "autovacuum": "off",
}


def prepared_var(folder: Path) -> None:
    """Fill `folder` with a data folder that starts without initdb and migrations.

    The folder is created if it does not exist; it must not hold a PostgreSQL yet.
    """
    programs = wanted_programs()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _template(programs) as template:
        # Not shutil: it would drop the owner, and under root PostgreSQL runs as somebody else.
        _copy(template / "postgres", folder / "postgres")


@contextmanager
def _template(programs: Programs) -> Iterator[Path]:
    """The template for these programs, which nobody replaces inside the block."""
    CACHE.mkdir(parents=True, exist_ok=True)
    template = CACHE / _key(programs)
    with open(CACHE / "lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        while not template.exists():
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not template.exists():  # another process may have made it while this one waited
                _make(template, programs)
            fcntl.flock(lock, fcntl.LOCK_SH)
        yield template


def _key(programs: Programs) -> str:
    """The kind of PostgreSQL, then a hash of everything that decides the folder's content."""
    postgres = (programs.postgres or _programs_of_wheel()) / "postgres"
    version = subprocess.run(
        [postgres, "--version"], capture_output=True, text=True, check=True
    ).stdout
    content = hashlib.sha256(
        f"{version} {os.geteuid()} {os.environ.get('LANG')} {os.environ.get('LC_ALL')}".encode()
    )
    for path in sorted(INGREDIENTS):
        if path.is_file() and path.suffix in (".py", ".sql"):
            content.update(path.name.encode() + path.read_bytes())
    kind = "wheel" if programs.postgres is None else "system"
    return f"{kind}-{content.hexdigest()[:16]}"


def _make(template: Path, programs: Programs) -> None:
    """Make the template whole or not at all, and remove the one that it replaces."""
    draft = template.with_suffix(".new")
    for outdated in (draft, *CACHE.glob(f"{template.name.partition('-')[0]}-*")):
        shutil.rmtree(outdated, ignore_errors=True)
    # Elsewhere, because PostgreSQL's own user must be able to reach the folder, and its socket's
    # path must be short.
    with tempfile.TemporaryDirectory(prefix="pressbox-template-") as workshop:
        unused = {"redis_url": "redis://127.0.0.1:1/0", "kafka": "127.0.0.1:1"}
        with Stack(Settings(var=Path(workshop), **unused), programs) as stack:
            _migrate(stack.settings)
            with psycopg.connect(stack.settings.owner_url, autocommit=True) as connection:
                for name, value in FAST_SETTINGS.items():
                    connection.execute(f"ALTER SYSTEM SET {name} = {value}")
        draft.mkdir(mode=0o700)
        _copy(Path(workshop) / "postgres", draft / "postgres")
    draft.rename(template)


def _migrate(settings: Settings) -> None:
    with create_worker_app(settings, Use.UPKEEP).app_context():
        migrations.upgrade()
        db.session.remove()
        db.engine.dispose()


def _copy(source: Path, target: Path) -> None:
    subprocess.run(["cp", "-a", source, target], check=True)  # noqa: S607
