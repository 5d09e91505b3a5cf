"""Addresses of Redis: one server, servers under sentinels, or a cluster. Opens nothing.

`redis+sentinel://[user:password@]host:port,host:port/master-name/0` names sentinels (default port
26379), the name of their master and the database. `redis+cluster://[user:password@]host:port,...`
names some nodes of a cluster (default port 6379). `rediss+...` is the same over TLS. User and
password are those of the servers.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

SERVER_SCHEMES = ("redis://", "rediss://", "unix://", "valkey://")
SENTINEL, CLUSTER = "sentinel", "cluster"
_KINDS = {
    "redis+sentinel": (SENTINEL, 26379, False),
    "rediss+sentinel": (SENTINEL, 26379, True),
    "redis+cluster": (CLUSTER, 6379, False),
    "rediss+cluster": (CLUSTER, 6379, True),
}
BOARDS_SCHEMES = (*SERVER_SCHEMES, *(f"{scheme}://" for scheme in _KINDS))


@dataclass(frozen=True)
class ManyServers:
    """`kind` is SENTINEL or CLUSTER. `master` and `db` are only for SENTINEL."""

    kind: str
    hosts: tuple[tuple[str, int], ...]
    tls: bool = False
    username: str | None = None
    password: str | None = None
    master: str = ""
    db: int = 0


def parse(url: str) -> ManyServers | None:
    """Parse an address of several servers; None for the address of one.

    Raises ValueError that says what is missing; it never repeats the address, which may hold a
    password.
    """
    scheme, separator, address = url.partition("://")
    if not separator or scheme not in _KINDS:
        return None
    kind, usual_port, tls = _KINDS[scheme]
    login, _, place = address.rpartition("@")
    username, _, password = login.partition(":")
    hosts, _, path = place.partition("/")
    servers = tuple(_host(host.strip(), usual_port) for host in hosts.split(","))
    master, _, db = path.partition("/")
    if kind == CLUSTER and path:
        raise ValueError("a cluster has no databases: leave out what follows the last host")
    if kind == SENTINEL and not master:
        raise ValueError(
            "must end with the name of the master that the sentinels watch, as in /boards/0"
        )
    if db and not db.isdecimal():
        raise ValueError("the database, after the master's name, must be a whole number")
    return ManyServers(
        kind,
        servers,
        tls,
        unquote(username) or None,
        unquote(password) or None,
        master,
        int(db or 0),
    )


def _host(text: str, usual_port: int) -> tuple[str, int]:
    """Parse host and port; an IPv6 address must be in brackets."""
    try:
        split = urlsplit(f"//{text}")
        host, port = split.hostname, split.port
    except ValueError:
        raise ValueError("each host must be host:port, with a port from 1 to 65535") from None
    if not host or port == 0:
        raise ValueError("each host must be host:port, with commas between them")
    return host, port or usual_port
