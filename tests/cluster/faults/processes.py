"""Faults of our own processes: killed, stopped and gone on, come and gone."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from tests.cluster.faults.brokers import NAMES, PAUSED_SECONDS
from tests.cluster.faults.fault import Breaks
from tests.cluster.pressbox import Pressbox
from tests.roles import commands_of_roles
from tests.waiting import rest, until
from workers.supervisor.children import Children
from workers.supervisor.processes import Command


def killed(*names: str, times: int = 4) -> Breaks:
    """Processes of ours die at chance moments, each so many times.

    The supervisor starts them again.
    """
    assert set(names) <= {command.name for command in commands_of_roles()}, names

    @contextmanager
    def breaks(box: Pressbox, chance: Random) -> Iterator[None]:
        yield
        for _ in range(times):
            for name in names:
                rest(chance.uniform(0.05, 0.6))
                box.children.running[name].kill()
            until(
                lambda: all(box.children.running[name].poll() is None for name in names),
                f"{names} run again",
            )

    return breaks


@contextmanager
def rebalance(box: Pressbox, chance: Random) -> Iterator[None]:
    """A second bridge and a second consumer of scores come and go while they work."""
    more = [
        Command(f"{command.name}-2", command.arguments)
        for command in commands_of_roles()
        if command.name in ("bridge", "scores")
    ]
    yield
    for _ in range(2):
        second = Children(box.stack, more)
        second.start()
        rest(6)
        second.stop()


@contextmanager
def zombie(box: Pressbox, chance: Random) -> Iterator[None]:
    """A bridge is stopped until its partitions have moved to another one, and then resumes."""
    process = box.process("bridge")
    second = Children(box.stack, [Command("bridge-2", _arguments_of("bridge"))])
    second.start()
    rest(3)
    process.send_signal(signal.SIGSTOP)
    yield
    rest(PAUSED_SECONDS)
    process.send_signal(signal.SIGCONT)
    rest(3)
    second.stop()


@contextmanager
def started_with_nothing_there(box: Pressbox, chance: Random) -> Iterator[None]:
    """Every process of ours starts while no store answers.

    The stores come one after the other, in any order.
    """
    yield
    postgres, jobs, kafka = box.machines.postgres.primary, box.machines.jobs, box.machines.kafka
    with box.paused(*box.children.running):
        jobs.kill()
        postgres.kill()
        for broker in kafka.brokers:
            broker.kill()
    rest(4)
    stores = [postgres.start, jobs.revive, lambda: kafka.revive(*kafka.brokers)]
    chance.shuffle(stores)
    for start in stores:
        start()
        rest(2)
    until(lambda: kafka.is_in_sync(NAMES), "every replica is in step again")


@contextmanager
def everything_killed(box: Pressbox, chance: Random) -> Iterator[None]:
    """Every process of ours dies in the same moment, and all stores but the brokers restart."""
    yield
    for process in list(box.children.running.values()):
        process.kill()
    box.machines.jobs.kill()
    box.machines.postgres.primary.kill()
    box.machines.postgres.primary.start()
    box.machines.jobs.revive()


def _arguments_of(role: str) -> list[str]:
    return next(command.arguments for command in commands_of_roles() if command.name == role)
