"""Real stores for every test.

PostgreSQL, Valkey and a Kafka-compatible broker, one set a session.
"""

from __future__ import annotations

import gc
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import hypothesis
import psycopg
import pytest
import structlog
from argon2 import PasswordHasher
from flask import Flask
from flask.testing import FlaskClient
from schemathesis.pytest.plugin import SchemathesisFunction

from app import create_app
from app.accounts import services as accounts
from app.accounts.models import Member
from app.core import clock
from app.core.db import db, migrations
from app.core.http.rate_limits import limiter
from app.core.postgres.timeouts import Timeouts, Use
from app.core.redis.connections import connect
from app.embedded.stack import Stack
from app.embedded.valkey import Valkey
from app.settings import Settings
from app.stream.kafka import ensure_topics
from tests import leftovers, long_runs, processor_time, scheduling, tiers, tools, twenty_faults
from tests.client import Client
from tests.cluster.machines import machines
from tests.embedded.programs import wanted_programs
from tests.emptying import empty_stores
from tests.owner import let_truncate
from tests.ports import reserved_port
from tests.sizes import FULL
from tests.store_template import prepared_var
from tests.waiting import factor, patience, patient
from workers import context

REAL_GAMES = Path(__file__).parent.parent.parent / "shared" / "data" / "nfl"
NFLVERSE = REAL_GAMES / "nflverse"
PASSWORD = "correct horse battery"
FULL_COST_HASHER = accounts.hasher
CHEAP_HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


# `make test` tries the same examples in every run; the long tier draws new ones from its seed.
hypothesis.settings.register_profile("make test", derandomize=True)
if not FULL:
    hypothesis.settings.load_profile("make test")


@pytest.fixture(scope="session")
def broker() -> str:
    """'' for the embedded broker.

    'cluster' for Apache Kafka, of which a test's own broker is to be one too.
    """
    return os.environ.get("PRESSBOX_TEST_STORES", "")


@contextmanager
def folder_for_stores() -> Iterator[Path]:
    """A folder outside pytest's own.

    Each session closes that to others, and under root PostgreSQL is somebody else.
    """
    with tempfile.TemporaryDirectory(prefix="pressbox-test-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture
def store_folder() -> Iterator[Path]:
    """An empty folder in which a test starts embedded stores of its own; removed at its end."""
    with folder_for_stores() as folder:
        yield folder


@pytest.fixture
def own_valkey(app: Flask, store_folder: Path) -> Iterator[Valkey]:
    """A Valkey of the test's own instead of the shared one; the test may stop and start it."""
    (store_folder / "logs").mkdir()
    store = Valkey(store_folder, lambda _: None)
    shared = app.extensions["redis"]
    app.extensions["redis"] = connect(store.start())
    yield store
    store.stop()
    app.extensions["redis"] = shared


# A test's own session rests while its browser works; the processes that it starts keep the usual
# limits.
TIMEOUTS_OF_TESTS = Timeouts(statement=60, lock=30, idle=600)


@pytest.fixture
def nobody_listens() -> Iterator[int]:
    """A port of 127.0.0.1 that refuses connections."""
    with reserved_port() as port:
        yield port


def settings_of_tests(folder: Path) -> Settings:
    """The settings of embedded stores in the folder."""
    return patient(Settings(var=folder, kafka_partitions=4, timeouts_web=TIMEOUTS_OF_TESTS))


@contextmanager
def _settings(folder: Path, broker: str) -> Iterator[Settings]:
    """Of the embedded stores, or of stores on several machines, which then run meanwhile."""
    if not broker:
        prepared_var(folder)
        yield settings_of_tests(folder)
        return
    folder.chmod(0o755)  # PostgreSQL is somebody else under root
    with machines(folder, boards_apart=False) as stores:
        yield replace(stores.settings, timeouts_web=TIMEOUTS_OF_TESTS)


@pytest.fixture(scope="session")
def stack(broker: str) -> Iterator[Stack]:
    with (
        folder_for_stores() as folder,
        _settings(folder, broker) as settings,
        Stack(settings, wanted_programs()) as stack,
    ):
        without_fsync(stack.settings)
        ensure_topics(stack.settings)
        yield stack


def without_fsync(settings: Settings) -> None:
    """The tests' database does not wait for the disk: its data need not outlive the machine."""
    with psycopg.connect(settings.owner_url, autocommit=True) as connection:
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            connection.execute(f"ALTER SYSTEM SET {name} = off")
        connection.execute("SELECT pg_reload_conf()")


@pytest.fixture(scope="session", autouse=True)
def _plain_tracebacks() -> None:
    """Logged errors are printed as Python does.

    With rich installed, structlog takes up to a second for each.
    """
    *processors, _ = structlog.get_config()["processors"]
    plain = structlog.dev.ConsoleRenderer(
        colors=False, exception_formatter=structlog.dev.plain_traceback
    )
    structlog.configure(processors=[*processors, plain])


@pytest.fixture(scope="session", autouse=True)
def _cheap_passwords() -> Iterator[None]:
    """A password's hash names its own cost: our processes verify a cheap one cheaply too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accounts, "hasher", lambda: CHEAP_HASHER)
        yield


@pytest.fixture(scope="session")
def _migrated(stack: Stack) -> Flask:
    app = create_app(stack.settings)
    app.testing = True
    app.test_client_class = Client
    with app.app_context():
        migrations.upgrade()
    let_truncate(stack.settings.owner_url)
    return app


AnotherApp = Callable[..., Flask]


@pytest.fixture
def another_app() -> Iterator[AnotherApp]:
    """Makes an application beside the test's, as create_app does.

    Its connections end with the test.
    """
    apps = []

    def make(settings: Settings, use: Use = Use.WEB) -> Flask:
        apps.append(create_app(settings, use))
        apps[-1].test_client_class = Client
        return apps[-1]

    yield make
    for app in apps:
        with app.app_context():
            db.engine.dispose()


@contextmanager
def emptied(app: Flask, keeping: tuple[str, ...] = ()) -> Iterator[Flask]:
    """The application on empty stores, its context entered.

    Forms need no CSRF token unless a test asks.

    `keeping`: beginnings of the keys in Redis that stay.
    """
    app.config.update(WTF_CSRF_ENABLED=False)
    limiter.enabled = False
    context.use(app)
    settings = app.config["PRESSBOX"]
    with app.app_context():
        empty_stores(keeping)
        app.extensions["timeline"] = 0  # of an empty table
        yield app
        db.session.rollback()
        db.session.remove()
    assert app.config["PRESSBOX"] is settings, (
        "the test left settings of its own in the application"
    )


@pytest.fixture
def app(_migrated: Flask) -> Iterator[Flask]:
    """See emptied."""
    with emptied(_migrated) as app:
        yield app


@pytest.fixture
def today(monkeypatch: pytest.MonkeyPatch) -> date:
    """The day on which the test runs, in UTC.

    The clock stands still: nothing happens after midnight.
    """
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment)
    return moment.date()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def db_session(app: Flask) -> object:
    return db.session


@pytest.fixture
def member(app: Flask) -> Callable[..., Member]:
    """Makes a member: `member("ann")`, `member("meg", role="moderator scorer")`."""

    def make(username: str, role: str = "member") -> Member:
        roles = [name for name in role.split() if name != "member"]
        registered = accounts.register(username, username.title(), PASSWORD, roles)
        assert isinstance(registered, Member), registered
        return registered

    return make


@pytest.fixture
def sign_in(app: Flask, member: Callable[..., Member]) -> Callable[..., FlaskClient]:
    """A client signed in as a new member of the role: `sign_in("scorer")`."""

    def signed_in(role: str = "member", username: str | None = None) -> FlaskClient:
        name = username or f"a-{role}"
        if accounts.find_member(name) is None:
            member(name, role=role)
        client = app.test_client()
        response = client.post("/sign-in", data={"username": name, "password": PASSWORD})
        assert response.status_code == 303, response.text
        return client

    return signed_in


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end.

    The garbage collector need not look at it again.
    """
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--record-durations",
        action="store_true",
        help="write tests/durations.json and tests/processor_seconds.json",
    )
    parser.addoption(
        "--processor-budget", type=float, metavar="SECONDS", help="fail a run that takes more"
    )
    parser.addoption(
        "--record-faults", action="store_true", help="write the table of docs/reliability.md"
    )
    parser.addoption("--record-run", metavar="TARGET", help="write a row of docs/long-runs.md")


def pytest_report_header() -> str:
    return f"patience: every wait may take {factor():.1f} times its nominal seconds"


def pytest_configure(config: pytest.Config) -> None:
    factor()  # before the test workers start: they inherit what it measured
    leftovers.watch()
    meter = processor_time.Meter(per_test=config.getoption("--record-durations"))
    budget = config.getoption("--processor-budget")
    config.pluginmanager.register(processor_time.Report(meter, budget))
    config.pluginmanager.register(meter)  # last, and therefore called first
    if hasattr(config, "workerinput"):
        return
    if config.getoption("--record-durations"):
        config.pluginmanager.register(scheduling.Recorder())
    if target := config.getoption("--record-run"):
        config.pluginmanager.register(long_runs.Recorder(target))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> scheduling.ByScope:
    config.option.loadscopereorder = False
    return scheduling.ByScope(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, SchemathesisFunction):  # pytest 9.2 leaves the operation out of its id
            item._id = item.parent.id.child(item.name)
        _stretch_timeout(item)
    twice = [node for node, times in Counter(item.nodeid for item in items).items() if times > 1]
    if twice:
        raise pytest.UsageError(
            f"of tests with the same id two processes would run one alone: {twice[0]}"
        )
    scheduling.sort(items)
    twenty_faults.mark(items)
    tiers.mark(items)
    tools.skip_missing(items)
    missing = pytest.mark.skip(
        reason=f"no real games at {REAL_GAMES}: put them there to run this test"
    )
    for item in items:
        if "realgames" in item.keywords and not REAL_GAMES.is_dir():
            item.add_marker(missing)


def _stretch_timeout(item: pytest.Item) -> None:
    """The end that pytest-timeout puts to a test that hangs is a wait like every other."""
    marker = item.get_closest_marker("timeout")
    nominal = float(marker.args[0] if marker else item.config.getini("timeout"))
    item.add_marker(pytest.mark.timeout(patience(nominal)), append=False)


@pytest.fixture
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The application's time stands still, so that no cached page ends with its minute."""
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment)


@pytest.fixture
def measured(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Says a figure at the end of the whole run, whatever process the test ran in.

    `measured("took 2.4 s")`.
    """
    return lambda text: record_property("measured", text)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    passed = terminalreporter.stats.get("passed", [])
    figures = [
        text for report in passed for name, text in report.user_properties if name == "measured"
    ]
    if figures:
        terminalreporter.section("measured")
        for text in figures:
            terminalreporter.write_line(str(text))
    rows = [
        row
        for report in passed
        for name, row in report.user_properties
        if name == twenty_faults.PROPERTY
    ]
    if rows and terminalreporter.config.option.markexpr == "cluster":
        rows += twenty_faults.rows_of_ordinary_tests()
        terminalreporter.section("the twenty faults")
        terminalreporter.write_line(twenty_faults.table(rows))
        if missing := twenty_faults.missing(rows):
            terminalreporter.write_line(f"Shown by no test: {missing}", red=True)
        if terminalreporter.config.getoption("--record-faults"):
            twenty_faults.record(rows)
