from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from sqlalchemy import make_url

from app.core.postgres.timeouts import Use
from app.core.redis import urls
from app.setting_reading import settings_from_env
from app.settings import Settings, SettingsError


def test_defaults_need_no_environment() -> None:
    settings = settings_from_env({})
    assert (settings.port, settings.var, settings.kafka_servers) == (8000, Path("var"), [])


def test_every_mistake_is_named_at_once_with_an_example() -> None:
    with pytest.raises(SettingsError) as caught:
        settings_from_env(
            {"PORT": "http", "WORKERS": "0", "DATABASE_URL": "mysql://x", "SECURE_COOKIES": "maybe"}
        )
    lines = str(caught.value).splitlines()
    assert len(lines) == 4
    for name, remedy in (
        ("PORT", "8000"),
        ("WORKERS", "above 0"),
        ("DATABASE_URL", "postgresql://"),
        ("SECURE", "1"),
    ):
        assert any(line.startswith(name) and remedy in line for line in lines), (name, lines)


def test_every_setting_can_stand_in_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("0123456789abcdef" * 4 + "\n")
    settings = settings_from_env(
        {"SECRET_KEY_FILE": str(secret), "KAFKA_PASSWORD_FILE": str(secret), "PORT": "81"}
    )
    assert settings.secret_key == settings.kafka_password == "0123456789abcdef" * 4
    with pytest.raises(SettingsError) as caught:
        settings_from_env(
            {
                "SECRET_KEY": "x",
                "SECRET_KEY_FILE": str(secret),
                "METRICS_TOKEN_FILE": "/no/such/file",
            }
        )
    assert "leave one of them out" in str(caught.value)
    assert "METRICS_TOKEN_FILE=/no/such/file cannot be read" in str(caught.value)


@pytest.mark.parametrize("port", ["0", "65536", "-1"])
def test_a_port_out_of_range_is_refused(port: str) -> None:
    with pytest.raises(SettingsError, match=r"PORT.*1 to 65535"):
        settings_from_env({"PORT": port})


@pytest.mark.parametrize(
    "name",
    ["KAFKA_PAGE_SECONDS", "KAFKA_READ_SECONDS", "KAFKA_ANSWER_SECONDS", "REDIS_POLL_SECONDS"],
)
@pytest.mark.parametrize(
    ("value", "remedy"),
    [("0", "above 0"), ("inf", "must be a number"), ("soon", "must be a number")],
)
def test_a_wait_that_never_begins_or_ends_is_refused(name: str, value: str, remedy: str) -> None:
    with pytest.raises(SettingsError, match=rf"{name}=\S+: .*{remedy}"):
        settings_from_env({name: value})


@pytest.mark.parametrize(
    "address", ["postgres://u@h/d", "postgresql://u@h/d", "postgresql+psycopg://u@h/d"]
)
def test_every_spelling_of_a_postgresql_address_works(address: str) -> None:
    settings = settings_from_env({"DATABASE_URL": address})
    assert settings.sqlalchemy_url == "postgresql+psycopg://u@h/d"
    assert settings.psycopg_url == "postgresql://u@h/d"


def test_an_address_of_several_hosts_reaches_each_driver_in_its_own_spelling() -> None:
    settings = settings_from_env(
        {"DATABASE_URL": "postgres://u:p@a:1,b:2/d?target_session_attrs=read-write"}
    )
    assert settings.psycopg_url == "postgresql://u:p@a:1,b:2/d?target_session_attrs=read-write"
    url = make_url(settings.sqlalchemy_url)
    assert (url.username, url.password, url.database) == ("u", "p", "d")
    arguments = url.get_dialect()().create_connect_args(url)[1]
    assert arguments["host"] == "a,b"
    assert arguments["port"] == "1,2"
    assert arguments["target_session_attrs"] == "read-write"


def test_boards_live_on_the_same_redis_unless_set_otherwise() -> None:
    assert Settings(redis_url="redis://a").boards_url == "redis://a"
    assert Settings(redis_url="redis://a", boards_redis_url="redis://b").boards_url == "redis://b"


def test_the_secret_is_made_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    settings = Settings(var=tmp_path / "new")
    secret = settings.secret()
    assert len(secret) == 64
    assert settings.secret() == secret
    assert (tmp_path / "new" / "secret_key").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert Settings(var=tmp_path, secret_key="given").secret() == "given"


def test_of_processes_that_start_at_once_one_makes_the_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one looks while the first one is at it.

    It gets the whole secret, not an empty file.
    """
    make, second = secrets.token_hex, []

    def making(size: int) -> str:
        if not second:
            second.append("")
            second[0] = Settings(var=tmp_path).secret()
        return make(size)

    monkeypatch.setattr("app.settings.secrets.token_hex", making)
    assert [Settings(var=tmp_path).secret()] == second
    assert len(second[0]) == 64
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_an_empty_secret_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret_key").write_text("")
    with pytest.raises(SettingsError, match=r"secret_key is empty\. Remove it"):
        Settings(var=tmp_path).secret()


@pytest.mark.parametrize(
    ("url", "remedy"),
    [
        ("redis+sentinel://a:26379,b:26379", "name of the master"),
        ("redis+sentinel://a/boards/first", "whole number"),
        ("redis+cluster://a:6379,b:port", "host:port"),
        ("redis+cluster://a:6379,,b:6379", "host:port"),
        ("redis+cluster://a:6379/0", "no databases"),
        ("memcached://a", "redis+sentinel://"),
    ],
)
def test_a_wrong_address_of_the_boards_is_refused_without_showing_its_password(
    url: str, remedy: str
) -> None:
    url = url.replace("://", "://ann:secret@")
    with pytest.raises(SettingsError, match="BOARDS_REDIS_URL") as caught:
        settings_from_env({"BOARDS_REDIS_URL": url})
    assert remedy in str(caught.value)
    assert "secret" not in str(caught.value)


def test_boards_may_lie_behind_sentinels_or_on_a_cluster() -> None:
    sentinels = urls.parse("redis+sentinel://ann:p%40ss@a,b:26380/boards/3")
    hosts = (("a", 26379), ("b", 26380))
    assert sentinels == urls.ManyServers("sentinel", hosts, False, "ann", "p@ss", "boards", 3)
    cluster = urls.parse("rediss+cluster://[::1]:7000,b")
    assert cluster == urls.ManyServers("cluster", (("::1", 7000), ("b", 6379)), tls=True)
    assert urls.parse("redis://a:6379/0") is None
    for url in ("redis+sentinel://a,b/boards", "redis+cluster://a:6379"):
        assert settings_from_env(
            {"BOARDS_REDIS_URL": url, "BOARDS_READ_REPLICAS": "1"}
        ).boards_read_replicas


def test_reading_from_replicas_needs_servers_that_have_them() -> None:
    with pytest.raises(SettingsError, match=r"BOARDS_READ_REPLICAS.*sentinels or a cluster"):
        settings_from_env({"BOARDS_READ_REPLICAS": "1", "BOARDS_REDIS_URL": "redis://a"})


@pytest.mark.parametrize(
    ("environ", "mistake"),
    [
        ({"KAFKA_SECURITY_PROTOCOL": "TLS"}, "KAFKA_SECURITY_PROTOCOL.*SASL_SSL"),
        (
            {"KAFKA_SECURITY_PROTOCOL": "SASL_SSL", "KAFKA_USERNAME": "u"},
            "KAFKA_PASSWORD: must be set",
        ),
        (
            {"KAFKA_SECURITY_PROTOCOL": "SASL_SSL", "KAFKA_PASSWORD": "p"},
            "KAFKA_USERNAME: must be set",
        ),
        ({"KAFKA_SASL_MECHANISM": "GSSAPI"}, "KAFKA_SASL_MECHANISM.*SCRAM-SHA-512"),
        ({"KAFKA_CA_FILE": "/nowhere/ca.pem"}, "KAFKA_CA_FILE.*no such file"),
        ({"STREAM_KEYS": f"{'k' * 32},short"}, "STREAM_KEYS: each must have 32 characters"),
        ({"STREAM_UNSIGNED_UNTIL": "tomorrow"}, "STREAM_UNSIGNED_UNTIL.*date and time"),
        ({"STREAM_UNSIGNED_UNTIL": "2026-12-01T06:00"}, "STREAM_UNSIGNED_UNTIL.*offset from UTC"),
    ],
)
def test_what_guards_the_stream_is_checked_at_start(environ: dict[str, str], mistake: str) -> None:
    with pytest.raises(SettingsError, match=mistake):
        settings_from_env({"KAFKA_BOOTSTRAP_SERVERS": "kafka:9092"} | environ)


def test_the_embedded_broker_has_no_security_protocol() -> None:
    with pytest.raises(
        SettingsError, match="KAFKA_SECURITY_PROTOCOL: the embedded broker has none"
    ):
        settings_from_env({"KAFKA_SECURITY_PROTOCOL": "SSL"})


def test_secrets_are_not_in_a_settings_text() -> None:
    secrets = {
        name: f"{name}-{'x' * 32}" for name in ("SECRET_KEY", "STREAM_KEYS", "KAFKA_PASSWORD")
    }
    assert not any(value in repr(settings_from_env(secrets)) for value in secrets.values())


@pytest.mark.parametrize(
    ("variable", "scheme"),
    [
        ("DATABASE_URL", "postgresql"),
        ("DATABASE_OWNER_URL", "postgresql"),
        ("DATABASE_DIRECT_URL", "postgresql"),
        ("DATABASE_READ_URL", "postgresql"),
        ("REDIS_URL", "redis"),
        ("BOARDS_REDIS_URL", "redis"),
    ],
)
def test_the_password_in_an_address_is_not_in_a_settings_text(variable: str, scheme: str) -> None:
    settings = Settings(**{variable.lower(): f"{scheme}://pressbox:hunter2@store/0"})
    assert "hunter2" not in repr(settings)


@pytest.mark.parametrize(
    ("environ", "sentence"),
    [
        ({"SECRET_KEY": ""}, "SECRET_KEY is empty: leave it out, or set it"),
        ({"SECRET_KEY": "  "}, "SECRET_KEY is empty"),
        ({"SECRET_KEY": "x" * 31}, "SECRET_KEY: must have 32 characters or more"),
        (
            {"PUBLIC_URL": "pressbox.example.com"},
            "PUBLIC_URL='pressbox.example.com': must look like https://",
        ),
        ({"SMTP_URL": "mail.example.com"}, "SMTP_URL: must begin with smtp:// or smtps://"),
        (
            {"SMTP_URL": "smtp://mail.example.com"},
            "MAIL_FROM: must be an address, since SMTP_URL is set",
        ),
        (
            {"REFUSED_NAMES_FILE": "/no/such/file"},
            "REFUSED_NAMES_FILE='/no/such/file': there is no such file",
        ),
        ({"PRESSBOX_PRODUCTION": "1"}, "SECRET_KEY: must be set, since PRESSBOX_PRODUCTION=1"),
        ({"PRESSBOX_PRODUCTION": "1"}, "SECURE_COOKIES: must be 1, since PRESSBOX_PRODUCTION=1"),
        (
            {"PRESSBOX_PRODUCTION": "1"},
            "PUBLIC_URL: must be set and https, since PRESSBOX_PRODUCTION=1",
        ),
    ],
)
def test_settings_of_accounts_that_would_be_unsafe_are_refused(
    environ: dict[str, str], sentence: str
) -> None:
    with pytest.raises(SettingsError) as refused:
        settings_from_env(environ)
    assert sentence in str(refused.value)
    assert environ.get("SECRET_KEY", "").strip() == "" or environ["SECRET_KEY"] not in str(
        refused.value
    )


def test_production_with_all_that_it_needs_is_accepted() -> None:
    settings = settings_from_env(
        {
            "PRESSBOX_PRODUCTION": "1",
            "SECRET_KEY": "k" * 64,
            "SECURE_COOKIES": "1",
            "PUBLIC_URL": "https://p.example.com/",
        }
    )
    assert settings.origin == "https://p.example.com"
    assert "k" * 64 not in repr(settings)


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        (
            {"DATABASE_DIRECT_URL": "postgresql://u@db/d"},
            "DATABASE_URL: must be the pooler's address",
        ),
        ({"DATABASE_READ_URL": "mysql://u@db/d"}, "DATABASE_READ_URL: must begin with"),
        ({"READ_AGE_SECONDS": "0"}, "READ_AGE_SECONDS=0: must be above 0"),
        (
            {"DATABASE_URL": "postgresql://v@h/d", "DATABASE_DIRECT_URL": "postgresql://u@db/d"},
            "the role of DATABASE_URL",
        ),
        (
            {
                "DATABASE_URL": "postgresql://u@h/d?options=-cx%3D1",
                "DATABASE_DIRECT_URL": "postgresql://u@db/d",
            },
            "`options` do not pass through a pooler",
        ),
    ],
)
def test_addresses_of_postgresql_fit_together(environ: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        settings_from_env(environ)


def test_what_needs_a_session_goes_past_the_pooler() -> None:
    settings = settings_from_env(
        {"DATABASE_URL": "postgresql://u@pooler/d", "DATABASE_DIRECT_URL": "postgresql://u@db/d"}
    )
    assert settings.database(Use.WEB)[::3] == ("postgresql://u@pooler/d", True)
    assert settings.direct_database(Use.WEB)[::3] == ("postgresql://u@db/d", False)
    assert settings.owner_url == "postgresql://u@db/d"
