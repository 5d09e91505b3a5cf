"""Two hosts of Pressbox on the stores of others, each with a network of its own that can be cut.

What a host had in hand when it was cut off is done by the other one, within the time in which both
ends of a connection find out that nobody is there (app/core/postgres/connections.py); when it comes
back, it does nothing twice.
"""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace

import pytest
from flask import Flask

from tests import twenty_faults
from tests.cluster.day_tables import Tables
from tests.cluster.faults.fault import EVERY_WAY
from tests.cluster.machines import machines
from tests.cluster.network import Link, missing, network
from tests.cluster.pressbox import prepared, running
from tests.cluster.trial import CLUSTER, TIMES, broken_day, calm_day
from tests.conftest import folder_for_stores
from tests.waiting import patience, until
from workers.supervisor.processes import Command, commands

pytestmark = [*CLUSTER, pytest.mark.skipif(missing() is not None, reason=str(missing()))]
PORT = 8000
KBIT = 2_000  # of a slow network


@dataclass
class Hosts:
    """`app`: of the test's own process, which reaches the stores whatever becomes of the hosts."""

    app: Flask
    links: tuple[Link, ...]


@pytest.fixture(scope="module")
def hosts() -> Iterator[Hosts]:
    with folder_for_stores() as folder, ExitStack() as stack:
        folder.chmod(0o755)
        links = stack.enter_context(network(2))
        stores = stack.enter_context(machines(folder, host=links.address))
        app, own_stack = stack.enter_context(prepared(stores))
        for link in links.links:
            there = commands(
                replace(own_stack.settings, host=link.address, port=PORT), web=True, demo=False
            )
            chosen = [
                Command(f"{link.name}-{command.name}", link.command(command.arguments))
                for command in there
            ]
            stack.enter_context(running(own_stack, chosen))
        until(lambda: all(answers(link) for link in links.links), "both web hosts answer")
        yield Hosts(app, links.links)


@pytest.fixture(scope="module")
def calm(hosts: Hosts) -> Tables:
    return calm_day(hosts.app)


def answers(link: Link) -> bool:
    """Whether the web process of that host gives its first page."""
    connection = http.client.HTTPConnection(link.address, PORT, timeout=patience(5))
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


@contextmanager
def cut(hosts: Hosts) -> Iterator[None]:
    """The first host, whose relay has the lock, is cut off; pages come from the other one."""
    with hosts.links[0].cut():
        yield
        assert [answers(link) for link in hosts.links] == [False, True]


@contextmanager
def half_open(hosts: Hosts) -> Iterator[None]:
    """The second host, cut off, hears nothing and keeps sending.

    Its relay has the lock since the first was cut off. This is another, longer way of being cut
    off, so only the full run has it.
    """
    with hosts.links[1].half_open():
        yield
        assert [answers(link) for link in hosts.links] == [True, False]


@contextmanager
def slow(hosts: Hosts) -> Iterator[None]:
    with hosts.links[0].slow(KBIT), hosts.links[1].slow(KBIT):
        yield
        assert [answers(link) for link in hosts.links] == [True, True]


FAULTS: dict[str, tuple[int, Callable[[Hosts], AbstractContextManager[None]]]] = {
    "A host cut off, its work done by the other one": (9, cut),
    "A host that hears nothing, its work done by the other one": (9, half_open),
    "A slow network": (20, slow),
}


@pytest.mark.parametrize("time", range(TIMES))
@pytest.mark.parametrize(
    "title", [title for title in FAULTS if EVERY_WAY or FAULTS[title][1] is not half_open]
)
def test_the_other_host_does_all_of_it_once(
    hosts: Hosts,
    calm: Tables,
    title: str,
    time: int,
    record_property: Callable[[str, object], None],
) -> None:
    number, broken = FAULTS[title]
    name = f"net-{[*FAULTS].index(title)}-{time}"
    figures = broken_day(hosts.app, name, calm, broken(hosts), shown_while_broken=True)
    until(lambda: all(answers(link) for link in hosts.links), "both web hosts answer again")
    record_property(twenty_faults.PROPERTY, twenty_faults.row(number, title, *figures))
