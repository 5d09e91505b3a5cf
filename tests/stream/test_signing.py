"""Signatures: what they cover, accepted keys, and key rotation without losing a message."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from app.core import clock
from app.settings import Settings
from app.stream.signing import KEY_ID, SIGNATURE, Header, StreamKeys

OLD, NEW = "o" * 32, "n" * 32
MESSAGE = ("game-events.v1", b"g1", b'{"game_id":"g1"}')


def signed(keys: StreamKeys) -> list[Header]:
    return keys.headers(*MESSAGE)


def test_a_message_of_ours_is_known_as_ours() -> None:
    keys = StreamKeys([OLD])
    assert keys.fault(*MESSAGE, signed(keys)) is None


@pytest.mark.parametrize(
    ("topic", "key", "value"),
    [
        ("score-events.v1", b"g1", b'{"game_id":"g1"}'),
        ("game-events.v1", b"g2", b'{"game_id":"g1"}'),
        ("game-events.v1", None, b'{"game_id":"g1"}'),
        ("game-events.v1", b"", b'{"game_id":"g1"}'),
        ("game-events.v1", b"g1", b'{"game_id":"g2"}'),
        ("game-events.v1", b"g1{", b'"game_id":"g1"}'),  # the same bytes, cut elsewhere
    ],
    ids=[
        "another topic",
        "another key",
        "no key",
        "an empty key",
        "another value",
        "cut elsewhere",
    ],
)
def test_a_signature_cannot_be_moved(topic: str, key: bytes | None, value: bytes) -> None:
    keys = StreamKeys([OLD])
    assert (keys.fault(topic, key, value, signed(keys)) or "").startswith(
        "bad-signature: the signature"
    )


def test_a_message_without_key_or_value_can_be_signed_too() -> None:
    keys = StreamKeys([OLD])
    headers = keys.headers("game-events.v1", None, b"")
    assert keys.fault("game-events.v1", None, b"", headers) is None
    assert keys.fault("game-events.v1", b"", b"", headers) is not None


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ([], "unsigned"),
        ([("other", b"x")], "unsigned"),
        ([(SIGNATURE, b"\0" * 32)], "bad-signature"),
        ([(KEY_ID, b"nobody")], "bad-signature"),
        ([(SIGNATURE, b""), (KEY_ID, StreamKeys([OLD]).ids[0].encode())], "bad-signature"),
        ([(SIGNATURE, None), (KEY_ID, StreamKeys([OLD]).ids[0].encode())], "bad-signature"),
        ([(SIGNATURE, b"\0" * 32), (KEY_ID, None)], "bad-signature"),
        ([(SIGNATURE, b"\xff" * 32), (KEY_ID, b"\xff\xfe")], "bad-signature"),
    ],
)
def test_what_has_no_valid_signature_is_refused_with_a_reason(
    headers: list[Header], reason: str
) -> None:
    assert (StreamKeys([OLD]).fault(*MESSAGE, headers) or "").startswith(f"{reason}: ")


def test_after_a_rotation_old_messages_pass_and_those_of_a_removed_key_do_not() -> None:
    before, during, after = StreamKeys([OLD]), StreamKeys([NEW, OLD]), StreamKeys([NEW])
    old, new = signed(before), signed(during)
    assert during.fault(*MESSAGE, old) is None
    assert during.fault(*MESSAGE, new) is None
    assert after.fault(*MESSAGE, new) is None
    assert (after.fault(*MESSAGE, old) or "").startswith("bad-signature: it is signed with a key")
    # A host that has the new key only to accept it still signs with the old one.
    assert StreamKeys([OLD, NEW]).fault(*MESSAGE, new) is None
    assert signed(StreamKeys([OLD, NEW])) == old


def test_ids_tell_keys_apart_and_nothing_of_the_secret() -> None:
    first, second = StreamKeys([OLD, NEW]).ids
    assert first != second
    assert len(first) == 12
    assert OLD not in repr(StreamKeys([OLD]).__dict__)


def test_unsigned_messages_pass_until_the_moment_that_was_set_and_forged_ones_never(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    end = datetime(2026, 12, 1, 6, tzinfo=UTC)
    keys = StreamKeys([OLD], unsigned_until=end)
    monkeypatch.setattr(clock, "now", lambda: end - timedelta(seconds=1))
    assert keys.fault(*MESSAGE, []) is None
    assert (
        keys.fault(*MESSAGE, [(SIGNATURE, b"\0" * 32), (KEY_ID, keys.ids[0].encode())]) is not None
    )
    monkeypatch.setattr(clock, "now", lambda: end)
    assert (keys.fault(*MESSAGE, []) or "").startswith("unsigned")


def test_without_stream_keys_the_installations_secret_signs_and_can_be_named_as_the_old_key() -> (
    None
):
    default = StreamKeys.of(Settings(secret_key="the secret of this installation"))
    later = StreamKeys.of(
        Settings(stream_keys=f"{NEW}, the secret of this installation", secret_key="changed")
    )
    assert later.ids[1:] == default.ids
    assert later.fault(*MESSAGE, signed(default)) is None
