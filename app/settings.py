"""Every setting of Pressbox.

Lives here: names, types, units, defaults and one line of meaning each (docs/settings.md is made
from them). Not here: reading them (setting_reading.py), what may be wrong with them
(setting_faults.py), anything that connects.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from app.core.atomic_files import write_once
from app.core.errors import UserError
from app.core.postgres.timeouts import Database, Timeouts, Use
from app.setting_values import PUSH_SERVICES, SECRETS, for_psycopg, for_sqlalchemy


class SettingsError(UserError):
    """One or more settings are wrong; the text has one line a mistake, with an example."""


def _setting(default: Any, env: str, meaning: str, example: str) -> Any:
    secret = env in SECRETS
    return field(
        default=default,
        repr=not secret,
        metadata={"env": env, "meaning": meaning, "example": example},
    )


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings; docs/settings.md lists them."""

    var: Path = _setting(
        Path("var"), "PRESSBOX_VAR", "folder for data, logs and the secret", "/srv/pressbox"
    )
    host: str = _setting("127.0.0.1", "HOST", "address the web server listens on", "0.0.0.0")  # noqa: S104
    port: int = _setting(8000, "PORT", "port the web server listens on", "8000")
    database_url: str = _setting(
        "",
        "DATABASE_URL",
        "PostgreSQL to use; leave empty for the embedded one",
        "postgresql://pressbox_app@db/pressbox",
    )
    database_owner_url: str = _setting(
        "",
        "DATABASE_OWNER_URL",
        "the same database as the owner of the tables, used only by `migrate` and `restore`. The "
        "role of DATABASE_URL is created if it is missing and then cannot change the audit log. "
        "Empty: use DATABASE_URL",
        "postgresql://pressbox@db/pressbox",
    )
    database_direct_url: str = _setting(
        "",
        "DATABASE_DIRECT_URL",
        "the same database and role without the pooler, if DATABASE_URL leads to one (PgBouncer "
        "in transaction mode). Locks and LISTEN/NOTIFY need a session. Empty: no pooler",
        "postgresql://pressbox_app@db/pressbox",
    )
    database_read_url: str = _setting(
        "",
        "DATABASE_READ_URL",
        "a read replica, for pages that tolerate some delay; empty: the primary answers",
        "postgresql://pressbox_app@replica/pressbox",
    )
    read_age_seconds: int = _setting(
        10, "READ_AGE_SECONDS", "how far the replica may lag and still be used", "10"
    )
    timeouts_web: Timeouts = _setting(
        Timeouts(15, 3, 30),
        "DATABASE_TIMEOUTS_WEB",
        "PostgreSQL timeouts for pages, in seconds: statement, lock, idle transaction",
        "15,3,30",
    )
    timeouts_ingest: Timeouts = _setting(
        Timeouts(20, 5, 30),
        "DATABASE_TIMEOUTS_INGEST",
        "the same for relay, ingestion and scores",
        "20,5,30",
    )
    timeouts_refresh: Timeouts = _setting(
        Timeouts(120, 2, 600),
        "DATABASE_TIMEOUTS_REFRESH",
        "the same for refreshing lineups, standings and boards",
        "120,2,600",
    )
    timeouts_upkeep: Timeouts = _setting(
        Timeouts(900, 10, 900),
        "DATABASE_TIMEOUTS_UPKEEP",
        "the same for archive, webhooks, migrations and the command line",
        "900,10,900",
    )
    redis_url: str = _setting(
        "",
        "REDIS_URL",
        "Redis or Valkey for jobs and caches; empty: the embedded one",
        "redis://redis:6379/0",
    )
    redis_poll_seconds: float = _setting(
        0.25,
        "REDIS_POLL_SECONDS",
        "seconds that a poll waits for its cached answer before PostgreSQL answers",
        "0.25",
    )
    boards_redis_url: str = _setting(
        "",
        "BOARDS_REDIS_URL",
        "Redis or Valkey for leaderboards: one server, sentinels "
        "(`redis+sentinel://host:port,host:port/master/0`) or "
        "a cluster (`redis+cluster://host:port,host:port`), `rediss` for TLS; empty: REDIS_URL",
        "redis+cluster://boards1:6379,boards2:6379",
    )
    boards_read_replicas: bool = _setting(
        False,
        "BOARDS_READ_REPLICAS",
        "also read boards from replicas (sentinels or a cluster); they may be a moment old",
        "1",
    )
    kafka: str = _setting(
        "",
        "KAFKA_BOOTSTRAP_SERVERS",
        "Kafka to use; empty: the embedded broker",
        "kafka1:9092,kafka2:9092",
    )
    kafka_in_memory: bool = _setting(
        False,
        "KAFKA_IN_MEMORY",
        "the broker loses its data when it stops (as the embedded one does): scores are "
        "acknowledged only once PostgreSQL has them",
        "0",
    )
    kafka_partitions: int = _setting(
        8, "KAFKA_PARTITIONS", "partitions of topics that Pressbox creates", "8"
    )
    kafka_replication: int = _setting(
        1, "KAFKA_REPLICATION", "replicas of topics that Pressbox creates (3 in production)", "3"
    )
    kafka_security_protocol: str = _setting(
        "PLAINTEXT",
        "KAFKA_SECURITY_PROTOCOL",
        "PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL",
        "SASL_SSL",
    )
    kafka_sasl_mechanism: str = _setting(
        "SCRAM-SHA-512",
        "KAFKA_SASL_MECHANISM",
        "SASL mechanism: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512",
        "SCRAM-SHA-512",
    )
    kafka_username: str = _setting("", "KAFKA_USERNAME", "SASL username", "pressbox")
    kafka_password: str = _setting("", "KAFKA_PASSWORD", "SASL password", "a long password")
    kafka_ca_file: str = _setting(
        "",
        "KAFKA_CA_FILE",
        "CA certificates for the brokers (with SSL); empty: the system's",
        "/etc/kafka/ca.pem",
    )
    kafka_page_seconds: float = _setting(
        3.0,
        "KAFKA_PAGE_SECONDS",
        "seconds that a page waits for Kafka before it is shown without it",
        "3",
    )
    kafka_read_seconds: float = _setting(
        2.0, "KAFKA_READ_SECONDS", "seconds for reading the messages that a page asks for", "2"
    )
    kafka_answer_seconds: float = _setting(
        15.0,
        "KAFKA_ANSWER_SECONDS",
        "seconds that processes and commands wait for an answer of Kafka",
        "15",
    )
    stream_keys: str = _setting(
        "",
        "STREAM_KEYS",
        "comma-separated secrets that sign messages: the first one signs, all are accepted; "
        "empty: SECRET_KEY",
        "64 hex digits",
    )
    stream_unsigned_until: datetime | None = _setting(
        None,
        "STREAM_UNSIGNED_UNTIL",
        "accept unsigned messages until this moment, to migrate a Kafka that contains some",
        "2026-12-01T06:00Z",
    )
    kafka_group_prefix: str = _setting(
        "",
        "KAFKA_GROUP_PREFIX",
        "prefix of the consumer groups; a second Pressbox that reads the same topics needs its own",
        "staging-",
    )
    secret_key: str = _setting(
        "",
        "SECRET_KEY",
        "signs sessions and forms; empty: one is made and kept in PRESSBOX_VAR",
        "64 hex digits",
    )
    audit_key: str = _setting(
        "",
        "AUDIT_KEY",
        "keys the hashes of the audit; empty: SECRET_KEY, which then must never change",
        "64 hex digits",
    )
    production: bool = _setting(
        False,
        "PRESSBOX_PRODUCTION",
        "1: real members play here. Requires SECRET_KEY, PUBLIC_URL and SECURE_COOKIES=1, "
        "disables the demo and requires two-step sign-in for staff",
        "1",
    )
    public_url: str = _setting(
        "",
        "PUBLIC_URL",
        "public address of this server, for links and passkeys",
        "https://pressbox.example.com",
    )
    smtp_url: str = _setting(
        "",
        "SMTP_URL",
        "mail server for password links and notifications (smtps: TLS; smtp: STARTTLS, optional "
        "only for a local server); empty: no mail",
        "smtps://pressbox:PASSWORD@mail.example.com:465",
    )
    mail_from: str = _setting(
        "", "MAIL_FROM", "sender of that mail (with SMTP_URL)", "pressbox@example.com"
    )
    vapid_key: str = _setting(
        "",
        "VAPID_KEY",
        "signs pushes; `pressbox vapid-key` makes one; empty: no push",
        "43 characters",
    )
    push_contact: str = _setting(
        "",
        "PUSH_CONTACT",
        "contact address for push services (with VAPID_KEY); empty: MAIL_FROM",
        "ops@example.com",
    )
    push_services: str = _setting(
        PUSH_SERVICES,
        "PUSH_SERVICES",
        "allowed push services; `*.` matches all subdomains",
        "*.push.apple.com,example.com",
    )
    push_private: bool = _setting(
        False,
        "PUSH_PRIVATE",
        "allow any push service, including private addresses and http (tests)",
        "1",
    )
    refused_names_file: str = _setting(
        "",
        "REFUSED_NAMES_FILE",
        "words that names must not contain, one per line; empty: none",
        "/etc/pressbox/words.txt",
    )
    geoip_database: str = _setting(
        "",
        "GEOIP_DATABASE",
        "locations of IP addresses in MaxMind's format, to detect impossible travel",
        "/etc/pressbox/city.mmdb",
    )
    rulebooks_file: str = _setting(
        "",
        "RULEBOOKS_FILE",
        "rules of your own competitions",
        "/etc/pressbox/rulebooks.toml",
    )
    staff_session_hours: int = _setting(
        12,
        "STAFF_SESSION_HOURS",
        "how long scorers, moderators and operators stay signed in (a shift)",
        "12",
    )
    secure_cookies: bool = _setting(
        False, "SECURE_COOKIES", "send cookies over https only (1 in production)", "1"
    )
    web_threads: int = _setting(4, "WEB_THREADS", "requests served at once by the web process", "4")
    web_processes: int = _setting(1, "WEB_PROCESSES", "web processes that share the port", "2")
    trusted_proxies: int = _setting(
        0,
        "TRUSTED_PROXIES",
        "number of proxies in front that add to X-Forwarded-For and X-Forwarded-Proto; 0: these "
        "headers are ignored",
        "1",
    )
    workers: int = _setting(
        1,
        "WORKERS",
        "RQ ingestion workers while no game is on and nothing is waiting; refreshing has its own",
        "2",
    )
    workers_max: int = _setting(
        0,
        "WORKERS_MAX",
        "maximum number of RQ ingestion workers while games are on or jobs are waiting; 0: 4 "
        "times WORKERS",
        "8",
    )
    refresh_seconds: int = _setting(
        600,
        "REFRESH_SECONDS",
        "time limit for one refresh of a week's lineups, standings and boards",
        "600",
    )
    blobs_url: str = _setting(
        "",
        "BLOBS_URL",
        "folder or S3 bucket of the archive; empty: `blobs` in PRESSBOX_VAR",
        "s3://bucket/pressbox",
    )
    aws_endpoint_url: str = _setting(
        "",
        "AWS_ENDPOINT_URL",
        "address of an S3-compatible store; empty: Amazon's",
        "https://s3.example.org",
    )
    aws_region: str = _setting(
        "", "AWS_REGION", "region of the bucket; empty: as AWS's tools find it", "eu-central-1"
    )
    aws_access_key_id: str = _setting(
        "",
        "AWS_ACCESS_KEY_ID",
        "access key for S3; empty: as AWS's tools find it (profile, role)",
        "the key's id",
    )
    aws_secret_access_key: str = _setting(
        "", "AWS_SECRET_ACCESS_KEY", "secret key for S3", "the key's secret"
    )
    archive_after_days: float = _setting(
        1.0,
        "ARCHIVE_AFTER_DAYS",
        "age in days at which messages of the stream are archived (below 7)",
        "1",
    )
    score_months: int = _setting(
        14,
        "SCORE_MONTHS",
        "whole months of scores in PostgreSQL beside the current one; older ones are archived",
        "14",
    )
    correction_wait_ms: int = _setting(
        50,
        "CORRECTION_WAIT_MS",
        "how long a correction waits for its original before each retry",
        "50",
    )
    correction_looks: int = _setting(
        3,
        "CORRECTION_LOOKS",
        "number of these retries before it is retried after 30, 60 and 120 s",
        "3",
    )
    webhooks_private: bool = _setting(
        False,
        "WEBHOOKS_PRIVATE",
        "allow webhooks to private addresses and over http (closed networks, tests)",
        "1",
    )
    providers_private: bool = _setting(
        False,
        "PROVIDERS_PRIVATE",
        "allow providers and feeds at private addresses and over http (trials, tests)",
        "1",
    )
    asset_base_url: str = _setting(
        "",
        "ASSET_BASE_URL",
        "a CDN for `/assets` in front of this server; empty: none",
        "https://cdn.example.com",
    )
    metrics_token: str = _setting(
        "",
        "METRICS_TOKEN",
        "bearer token for /metrics; empty: operators only",
        "64 hex digits",
    )
    log_level: str = _setting("INFO", "LOG_LEVEL", "DEBUG, INFO, WARNING or ERROR", "INFO")
    demo: bool = _setting(
        True,
        "PRESSBOX_DEMO",
        "`pressbox up` creates and plays the demo season; 0: start with an empty site",
        "0",
    )
    demo_speed: float = _setting(
        7.0,
        "DEMO_SPEED",
        "speed of the demo, as a multiple of real time; at 7 a week takes an hour",
        "10",
    )

    @property
    def sqlalchemy_url(self) -> str:
        """DATABASE_URL with psycopg 3 as the driver, whatever spelling it came in."""
        return for_sqlalchemy(self.database_url)

    @property
    def psycopg_url(self) -> str:
        """The application's address, as psycopg spells it."""
        return for_psycopg(self.database_url)

    @property
    def owner_url(self) -> str:
        """The tables' owner's address, as psycopg spells it.

        DATABASE_OWNER_URL, or with one role only its address past any pooler.
        """
        return for_psycopg(self.database_owner_url or self.database_direct_url or self.database_url)

    def database(self, use: Use) -> Database:
        """How connections of this use are opened (app/core/postgres/connections.py)."""
        return Database(
            self.psycopg_url, use, getattr(self, f"timeouts_{use}"), bool(self.database_direct_url)
        )

    def direct_database(self, use: Use) -> Database:
        """Like `database`, past any pooler: for LISTEN and session locks."""
        direct = for_psycopg(self.database_direct_url or self.database_url)
        return Database(direct, use, getattr(self, f"timeouts_{use}"))

    def read_database(self) -> Database:
        """How pages connect to the replica."""
        return Database(for_psycopg(self.database_read_url), Use.WEB, self.timeouts_web)

    def owner_database(self) -> Database:
        """How the owner of the tables connects, to migrate and to restore."""
        return Database(self.owner_url, Use.UPKEEP, self.timeouts_upkeep)

    @property
    def origin(self) -> str:
        """How browsers reach this server: PUBLIC_URL, or where it listens."""
        return self.public_url.rstrip("/") or f"http://{self.host}:{self.port}"

    @property
    def boards_url(self) -> str:
        """The address of the boards' Redis."""
        return self.boards_redis_url or self.redis_url

    @property
    def most_workers(self) -> int:
        """The maximum number of ingestion workers."""
        return self.workers_max or 4 * self.workers

    @property
    def blobs(self) -> str:
        """The address of the blob store."""
        return self.blobs_url or str(self.var.resolve() / "blobs")

    @property
    def rate_limit_url(self) -> str:
        """REDIS_URL as the `limits` library spells it."""
        url = self.redis_url.replace("valkey://", "redis://", 1)
        return f"redis+{url}" if url.startswith("unix://") else url

    @property
    def kafka_servers(self) -> list[str]:
        """The brokers, as kafka-python takes them."""
        return [server.strip() for server in self.kafka.split(",") if server.strip()]

    def stream_keys_list(self) -> list[str]:
        """The keys that sign messages."""
        return [secret.strip() for secret in self.stream_keys.split(",") if secret.strip()]

    def stream_secrets(self) -> list[str]:
        """STREAM_KEYS, or the one secret of this installation.

        The first one signs messages, all are accepted.
        """
        return self.stream_keys_list() or [self.secret()]

    def audit_secret(self) -> str:
        """AUDIT_KEY, or the one secret of this installation."""
        return self.audit_key or self.secret()

    def secret(self) -> str:
        """SECRET_KEY, or the key in `var/secret_key`, which only its owner can read.

        The file is created on first use; processes that start at once get the same key. Raises
        SettingsError if it is empty.
        """
        if self.secret_key:
            return self.secret_key
        path = self.var / "secret_key"
        if not path.exists():
            self.var.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_once(path, secrets.token_hex(32))
        if not (key := path.read_text()):
            raise SettingsError(
                f"{path} is empty. Remove it, and the next start creates a new secret."
            )
        return key
