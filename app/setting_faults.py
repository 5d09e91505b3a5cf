"""What may be wrong with settings that can be read: out of range, or not fitting together."""

from __future__ import annotations

from pathlib import Path

from app.core.redis.urls import BOARDS_SCHEMES, SERVER_SCHEMES
from app.core.redis.urls import parse as parse_redis_url
from app.setting_values import for_psycopg, is_mail_address, is_origin, is_vapid_key
from app.settings import Settings

SECURITY_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
POSTGRESQL = ("postgresql://", "postgresql+psycopg://", "postgres://")
SASL_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
LEAST_STREAM_KEY = 32  # characters of a secret in STREAM_KEYS
LEAST_SECRET_KEY = 32  # characters
HIGHEST_PORT = 65535
KAFKA_DAYS = 7  # the messages stay in Kafka
A_SECRET = "what `openssl rand -hex 32` prints"  # noqa: S105  (an example for people)


def faults(settings: Settings) -> list[str]:
    """What is out of range or does not fit together: a line each, with what to write instead."""
    mistakes = []
    if not 1 <= settings.port <= HIGHEST_PORT:
        mistakes.append(f"PORT={settings.port}: must be from 1 to {HIGHEST_PORT}; for example 8000")
    for env, value in (
        ("KAFKA_PARTITIONS", settings.kafka_partitions),
        ("KAFKA_REPLICATION", settings.kafka_replication),
        ("KAFKA_PAGE_SECONDS", settings.kafka_page_seconds),
        ("KAFKA_READ_SECONDS", settings.kafka_read_seconds),
        ("KAFKA_ANSWER_SECONDS", settings.kafka_answer_seconds),
        ("REDIS_POLL_SECONDS", settings.redis_poll_seconds),
        ("WEB_THREADS", settings.web_threads),
        ("WEB_PROCESSES", settings.web_processes),
        ("STAFF_SESSION_HOURS", settings.staff_session_hours),
        ("WORKERS", settings.workers),
        ("REFRESH_SECONDS", settings.refresh_seconds),
        ("ARCHIVE_AFTER_DAYS", settings.archive_after_days),
        ("SCORE_MONTHS", settings.score_months),
        ("CORRECTION_WAIT_MS", settings.correction_wait_ms),
        ("CORRECTION_LOOKS", settings.correction_looks),
        ("READ_AGE_SECONDS", settings.read_age_seconds),
        ("DEMO_SPEED", settings.demo_speed),
    ):
        if value <= 0:
            mistakes.append(f"{env}={value}: must be above 0")
    if settings.trusted_proxies < 0:
        mistakes.append(f"TRUSTED_PROXIES={settings.trusted_proxies}: must not be below 0")
    if settings.workers_max and settings.workers_max < settings.workers:
        mistakes.append(
            f"WORKERS_MAX={settings.workers_max}: must not be below WORKERS ({settings.workers}); "
            "or 0"
        )
    if settings.archive_after_days >= KAFKA_DAYS:
        mistakes.append(
            f"ARCHIVE_AFTER_DAYS={settings.archive_after_days}: must be below "
            f"{KAFKA_DAYS}, the days that Kafka keeps messages"
        )
    if settings.blobs_url and not settings.blobs_url.startswith(("s3://", "/")):
        mistakes.append(
            f"BLOBS_URL={settings.blobs_url!r}: must be an absolute path, or begin with s3://"
        )
    if settings.asset_base_url and not is_origin(settings.asset_base_url):
        mistakes.append(
            f"ASSET_BASE_URL={settings.asset_base_url!r}: must look like "
            "https://cdn.example.com, without a path"
        )
    if settings.log_level not in ("DEBUG", "INFO", "WARNING", "ERROR"):
        mistakes.append(f"LOG_LEVEL={settings.log_level!r}: must be DEBUG, INFO, WARNING or ERROR")
    for env, url, schemes in (
        ("DATABASE_URL", settings.database_url, POSTGRESQL),
        ("DATABASE_OWNER_URL", settings.database_owner_url, POSTGRESQL),
        ("DATABASE_DIRECT_URL", settings.database_direct_url, POSTGRESQL),
        ("DATABASE_READ_URL", settings.database_read_url, POSTGRESQL),
        ("REDIS_URL", settings.redis_url, SERVER_SCHEMES),
        ("BOARDS_REDIS_URL", settings.boards_redis_url, BOARDS_SCHEMES),
    ):
        if url and not url.startswith(schemes):
            mistakes.append(f"{env}: must begin with {' or '.join(schemes)}")
    return (
        mistakes
        + _roles(settings)
        + _pooler(settings)
        + _accounts(settings)
        + _boards(settings)
        + _kafka(settings)
    )


def _roles(settings: Settings) -> list[str]:
    """With an owner of the tables, the application is somebody else."""
    if not settings.database_owner_url.startswith(POSTGRESQL):
        return []
    # The supervisor of embedded stores does without it.
    from psycopg import ProgrammingError

    from app.core.postgres.roles import role_of

    try:
        role, owner = role_of(settings.psycopg_url), role_of(settings.owner_url)
    except ProgrammingError:
        return ["DATABASE_OWNER_URL: cannot be read; for example postgresql://pressbox@db/pressbox"]
    if not role or role == owner:
        return [
            "DATABASE_URL: must name a separate role for the application, because "
            "DATABASE_OWNER_URL is set; for example "
            "postgresql://pressbox_app@db/pressbox"
        ]
    return []


def _pooler(settings: Settings) -> list[str]:
    if not settings.database_direct_url:
        return []
    if not settings.database_url:
        return ["DATABASE_URL: must be the pooler's address, because DATABASE_DIRECT_URL is set"]
    from psycopg import ProgrammingError  # as above
    from psycopg.conninfo import conninfo_to_dict

    try:
        pooled, direct = (
            conninfo_to_dict(for_psycopg(url))
            for url in (settings.database_url, settings.database_direct_url)
        )
    except ProgrammingError:
        return [
            "DATABASE_DIRECT_URL: cannot be read; for example postgresql://pressbox_app@db/pressbox"
        ]
    if pooled.get("options"):
        return [
            "DATABASE_URL: `options` do not pass through a pooler: set them with ALTER ROLE ... "
            "SET, or leave them out"
        ]
    if pooled.get("user") != direct.get("user"):
        return ["DATABASE_DIRECT_URL: must name the role of DATABASE_URL"]
    return []


def _accounts(settings: Settings) -> list[str]:
    mistakes = []
    if settings.secret_key and len(settings.secret_key) < LEAST_SECRET_KEY:
        mistakes.append(
            f"SECRET_KEY: must have {LEAST_SECRET_KEY} characters or more; for example {A_SECRET}"
        )
    if settings.public_url and not is_origin(settings.public_url.rstrip("/")):
        mistakes.append(
            f"PUBLIC_URL={settings.public_url!r}: must look like "
            "https://pressbox.example.com, without a path"
        )
    if settings.smtp_url and not settings.smtp_url.startswith(("smtp://", "smtps://")):
        mistakes.append(
            "SMTP_URL: must begin with smtp:// or smtps://; for example "
            "smtps://NAME:PASSWORD@HOST:465"
        )
    if settings.smtp_url and "@" not in settings.mail_from:
        mistakes.append(
            "MAIL_FROM: must be an address, since SMTP_URL is set; for example pressbox@example.com"
        )
    if settings.smtp_url and not settings.public_url:
        mistakes.append(
            "PUBLIC_URL: must be set, because emails (SMTP_URL) contain links; for example "
            "https://pressbox.example.com"
        )
    if settings.vapid_key and not is_vapid_key(settings.vapid_key):
        mistakes.append(
            "VAPID_KEY: must be a key of 43 characters; for example the output of "
            "`pressbox vapid-key`"
        )
    if settings.vapid_key and not is_mail_address(settings.push_contact or settings.mail_from):
        mistakes.append(
            "PUSH_CONTACT: must be an address, since VAPID_KEY is set; for example ops@example.com"
        )
    if settings.refused_names_file and not Path(settings.refused_names_file).is_file():
        mistakes.append(
            f"REFUSED_NAMES_FILE={settings.refused_names_file!r}: there is no such file"
        )
    if settings.production:
        mistakes += _production(settings)
    return mistakes


def _production(settings: Settings) -> list[str]:
    mistakes = []
    if not settings.secret_key:
        mistakes.append(
            f"SECRET_KEY: must be set, since PRESSBOX_PRODUCTION=1; for example {A_SECRET}"
        )
    if not settings.secure_cookies:
        mistakes.append(
            "SECURE_COOKIES: must be 1, since PRESSBOX_PRODUCTION=1: serve https through a proxy"
        )
    if not settings.public_url.startswith("https://"):
        mistakes.append(
            "PUBLIC_URL: must be set and https, since PRESSBOX_PRODUCTION=1; see docs/settings.md"
        )
    return mistakes


def _boards(settings: Settings) -> list[str]:
    examples = (
        "redis+sentinel://sentinel1:26379,sentinel2:26379/boards/0 or redis+cluster://boards1:6379"
    )
    try:
        many = parse_redis_url(settings.boards_redis_url)
    except ValueError as error:
        return [f"BOARDS_REDIS_URL: {error}; for example {examples}"]
    if settings.boards_read_replicas and many is None:
        return [
            "BOARDS_READ_REPLICAS=1: a single server has no replicas; "
            f"set BOARDS_REDIS_URL to sentinels or a cluster, for example {examples}"
        ]
    return []


def _kafka(settings: Settings) -> list[str]:
    mistakes = []
    for env, value, choices in (
        ("KAFKA_SECURITY_PROTOCOL", settings.kafka_security_protocol, SECURITY_PROTOCOLS),
        ("KAFKA_SASL_MECHANISM", settings.kafka_sasl_mechanism, SASL_MECHANISMS),
    ):
        if value not in choices:
            mistakes.append(f"{env}={value!r}: must be {', '.join(choices[:-1])} or {choices[-1]}")
    if settings.kafka_security_protocol != "PLAINTEXT" and not settings.kafka:
        mistakes.append(
            "KAFKA_SECURITY_PROTOCOL: the embedded broker has none; set KAFKA_BOOTSTRAP_SERVERS too"
        )
    if settings.kafka_security_protocol.startswith("SASL_"):
        for env, value in (
            ("KAFKA_USERNAME", settings.kafka_username),
            ("KAFKA_PASSWORD", settings.kafka_password),
        ):
            if not value:
                mistakes.append(
                    f"{env}: must be set, since "
                    f"KAFKA_SECURITY_PROTOCOL={settings.kafka_security_protocol}"
                )
    if settings.kafka_ca_file and not Path(settings.kafka_ca_file).is_file():
        mistakes.append(f"KAFKA_CA_FILE={settings.kafka_ca_file!r}: there is no such file")
    if any(len(secret) < LEAST_STREAM_KEY for secret in settings.stream_keys_list()):
        mistakes.append(
            f"STREAM_KEYS: each must have {LEAST_STREAM_KEY} characters or more; for "
            "example the output of `openssl rand -hex 32`"
        )
    return mistakes
