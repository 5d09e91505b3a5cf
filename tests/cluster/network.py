"""Machines with a network of their own, on a bridge of this one.

Linux network namespaces, which root alone may make.

What is made here is removed here. Not here: what runs on them (hosts.py).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

SUBNETS = "10.213"  # of nobody else: the bridge has no way out


@dataclass(frozen=True)
class Link:
    """A machine's cable.

    `name`: of its namespace, and of this end of the cable; `address`: of the other end.
    """

    name: str
    address: str

    def command(self, arguments: Sequence[str]) -> list[str]:
        """The command line that runs these on that machine."""
        return ["ip", "netns", "exec", self.name, *arguments]

    @contextmanager
    def cut(self) -> Iterator[None]:
        """Nothing passes. Connections stay open at both ends, which hear no more of each other."""
        _run("ip", "link", "set", self.name, "down")
        try:
            yield
        finally:
            _run("ip", "link", "set", self.name, "up")

    @contextmanager
    def half_open(self) -> Iterator[None]:
        """What the machine sends arrives; what is sent to it does not."""
        _run("ip", "route", "add", "blackhole", f"{self.address}/32")
        try:
            yield
        finally:
            _run("ip", "route", "del", "blackhole", f"{self.address}/32")

    @contextmanager
    def slow(self, kbit: int) -> Iterator[None]:
        """So many thousand bits a second go to the machine, after a wait of up to two seconds.

        More are dropped.
        """
        _run(
            "tc",
            "qdisc",
            "add",
            "dev",
            self.name,
            "root",
            "tbf",
            "rate",
            f"{kbit}kbit",
            "burst",
            "16kb",
            "latency",
            "2s",
        )
        try:
            yield
        finally:
            _run("tc", "qdisc", "del", "dev", self.name, "root")


@dataclass(frozen=True)
class Network:
    """`address`: at which all machines reach this one."""

    address: str
    links: tuple[Link, ...]


def missing() -> str | None:
    """Why there can be no such network here, or None."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    tools = [tool for tool in ("ip", "tc") if shutil.which(tool) is None]
    return f"`{tools[0]}` is missing (on Debian: apt-get install iproute2)" if tools else None


@contextmanager
def network(count: int) -> Iterator[Network]:
    """So many machines, each with an address of its own."""
    # a run beside this one, or what is left of one that was killed, has another subnet
    process = os.getpid()
    bridge, subnet = f"pb{process}", f"{SUBNETS}.{process % 256}"
    address = f"{subnet}.1"
    links = tuple(
        Link(f"{bridge}{chr(ord('a') + number)}", f"{subnet}.{2 + number}")
        for number in range(count)
    )
    with ExitStack() as stack:
        _run("ip", "link", "add", bridge, "type", "bridge")
        stack.callback(_run, "ip", "link", "del", bridge)
        _run("ip", "addr", "add", f"{address}/24", "dev", bridge)
        _run("ip", "link", "set", bridge, "up")
        for link in links:
            _run("ip", "netns", "add", link.name)
            stack.callback(_run, "ip", "netns", "del", link.name)
            _run(
                "ip",
                "link",
                "add",
                link.name,
                "type",
                "veth",
                "peer",
                "name",
                "eth0",
                "netns",
                link.name,
            )
            _run("ip", "link", "set", link.name, "master", bridge, "up")
            for words in (
                ("addr", "add", f"{link.address}/24", "dev", "eth0"),
                ("link", "set", "eth0", "up"),
                ("link", "set", "lo", "up"),
            ):
                _run("ip", "-n", link.name, *words)
        yield Network(address, links)


def _run(*command: str) -> None:
    subprocess.run(command, check=True)
