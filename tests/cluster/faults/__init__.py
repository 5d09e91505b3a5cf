"""Faults of stores and processes, each broken for a while and healed.

Those that `make test-cluster` does.
"""

from __future__ import annotations

from tests.cluster.faults import brokers, caches, clocks, databases, processes, releases
from tests.cluster.faults.fault import EVERY_WAY, Fault
from tests.read_only import REDIS_WITHOUT_WRITES

__all__ = ["OF_PROCESSES", "OF_SERVERS", "Fault"]

_OF_SERVERS = [
    Fault(1, "A broker killed, the leader first", brokers.leader_killed),
    Fault(1, "Two of three brokers killed", brokers.two_brokers_killed),
    Fault(1, "A broker that hangs", brokers.broker_hangs, is_another_way=True),
    Fault(2, "No broker when scorers begin", brokers.no_broker_at_the_start),
    Fault(
        4,
        "Every topic read again from its first message, three times",
        brokers.read_again_from_the_first,
    ),
    Fault(4, "A backlog drained", brokers.backlog, is_another_way=True),
    Fault(4, "A topic deleted and made anew", brokers.topic_deleted),
    Fault(11, "A poison message in every partition", brokers.poison),
    Fault(16, "PostgreSQL restarted", databases.database_restarted),
    Fault(16, "Connections cut in mid-transaction", databases.connections_cut),
    Fault(16, "PostgreSQL hangs", databases.database_hangs, is_another_way=True),
    Fault(17, "PostgreSQL read only", databases.database_read_only),
    Fault(17, "A full disk", databases.disk_full),
    Fault(16, "PostgreSQL fails over to its replica", databases.database_fails_over),
    Fault(15, "The Redis of jobs restarted empty", caches.jobs_emptied),
    Fault(15, "The Redis of jobs hangs", caches.jobs_hang, is_another_way=True),
    *(
        Fault(15, f"The Redis of jobs is {state}", caches.jobs_take_no_writes(begin, end))
        for state, (begin, end) in REDIS_WITHOUT_WRITES.items()
    ),
    Fault(15, "A shard of the boards lost", caches.shard_lost),
    Fault(15, "Boards evicted", caches.boards_evicted),
]
_OF_PROCESSES = [
    Fault(10, "Relay and bridge killed again and again", processes.killed("relay", "bridge")),
    Fault(10, "Workers of ingestion and refresh killed", processes.killed("worker-1", "refresh")),
    Fault(10, "Settlement and scores killed", processes.killed("settlement", "scores")),
    Fault(10, "Consumers come and go", processes.rebalance, is_another_way=True),
    Fault(9, "A zombie bridge", processes.zombie),
    Fault(18, "Clocks five minutes ahead and five behind", clocks.stepped),
    Fault(10, "A rolling upgrade, back and forward", releases.rolling_upgrade),
    Fault(10, "Everything starts with nothing there", processes.started_with_nothing_there),
    Fault(10, "Everything killed at once", processes.everything_killed, is_another_way=True),
]
OF_SERVERS = [fault for fault in _OF_SERVERS if EVERY_WAY or not fault.is_another_way]
OF_PROCESSES = [fault for fault in _OF_PROCESSES if EVERY_WAY or not fault.is_another_way]
