"""The wire schema of `score-events.v1`.

What was ever sent is decoded for ever, what is wrong is named.
"""

from __future__ import annotations

from pathlib import Path
from uuid import UUID, uuid4

import msgspec
import pytest

from app.scores import events
from app.scores.events import InvalidScoreEventError, ScoreEvent, decode, encode

EXAMPLES = sorted((Path(__file__).parent / "examples" / "score-events.v1").glob("*.json"))
PLAYER = UUID("9b2c4e10-1111-4b44-9ccc-aaaaaaaaaaaa")


def an_event(**changes: object) -> dict[str, object]:
    plain = msgspec.json.decode((EXAMPLES[0].parent / "full.json").read_bytes())
    assert isinstance(plain, dict)
    return plain | changes


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_decoded_for_ever(path: Path) -> None:
    event = decode(path.read_bytes())
    assert event.player_id == PLAYER
    assert decode(encode(event)) == event


def test_there_are_examples() -> None:
    assert [path.stem for path in EXAMPLES] == ["full", "least-and-a-field-of-tomorrow", "negative"]


def test_the_shard_and_the_id_of_an_event_never_change() -> None:
    event = decode((EXAMPLES[0].parent / "full.json").read_bytes())
    assert (event.shard, events.key_of(event)) == (
        events.shard_of(PLAYER),
        b"nova-run:solo:s%d" % event.shard,
    )
    assert event.event_id == UUID("8f780b81-4292-5212-8ff4-3e8866f664ed")


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("score", "984200", "score: expected `int`, got `str`"),
        ("score", 984200.5, "score: expected `int`, got `float`"),
        ("score", 1 << 53, "score: expected `int` <= 9007199254740991"),
        ("achieved_at", -1, "achieved_at: expected `int` >= 0"),
        ("event_id", str(UUID(int=7)), "event_id is not the one of this player and attempt"),
        ("attempt_id", str(UUID(int=7)), "event_id is not the one of this player and attempt"),
        ("shard", 63, "shard is not the one of this player"),
        ("game", "no spaces", "game: expected `str` matching regex '^[A-Za-z0-9][A-Za-z0-9.-]*$'"),
        (
            "client_meta",
            {"name": "a\x00b"},
            "client_meta.name: holds the character U+0000, which cannot be stored",
        ),
        # RFC 8259, section 6: readers of JSON agree on whole numbers up to 2**53 - 1.
        ("client_meta", {"build": 1 << 53}, "client_meta[...]: expected `int` <= 9007199254740991"),
        (
            "client_meta",
            {"build": -(1 << 53)},
            "client_meta[...]: expected `int` >= -9007199254740991",
        ),
        ("client_meta", {"build": 10**30}, "client_meta[...]: expected `int` <= 9007199254740991"),
        ("v", 2, "v: invalid enum value 2"),
    ],
)
def test_a_wrong_field_is_named(field: str, value: object, text: str) -> None:
    with pytest.raises(InvalidScoreEventError) as refused:
        decode(msgspec.json.encode(an_event(**{field: value})))
    assert str(refused.value) == text


def test_a_missing_field_is_named() -> None:
    plain = an_event()
    del plain["mode_id"]
    with pytest.raises(InvalidScoreEventError, match=r"^mode_id: this field is missing$"):
        decode(msgspec.json.encode(plain))


def test_fingerprints_are_equal_for_equal_values_of_one_pressbox_alone() -> None:
    phone = events.fingerprint("ours", "device", "phone")
    assert phone == events.fingerprint("ours", "device", "phone")
    others = {
        events.fingerprint(*words)
        for words in (("theirs", "device", "phone"), ("ours", "address", "phone"))
    }
    assert phone not in others
    assert len(others) == 2


def test_the_shards_are_all_used() -> None:
    assert {events.shard_of(uuid4()) for _ in range(2000)} == set(range(events.SHARDS))


def test_an_event_made_in_python_is_what_its_message_says() -> None:
    attempt = uuid4()
    event = ScoreEvent(
        event_id=events.event_id(PLAYER, attempt),
        attempt_id=attempt,
        player_id=PLAYER,
        game_id=uuid4(),
        mode_id=uuid4(),
        game="g",
        mode="m",
        shard=events.shard_of(PLAYER),
        score=5,
        achieved_at=1,
    )
    assert decode(encode(event)) == event


def test_what_no_table_could_hold_is_refused_where_it_is_decoded() -> None:
    sent = msgspec.json.encode(an_event(metadata={"level": "Q"}))
    with pytest.raises(InvalidScoreEventError, match="not UTF-8"):
        decode(sent.replace(b'"Q"', b'"\xff"'))
    with pytest.raises(InvalidScoreEventError, match=r"metadata\.level: holds the character"):
        decode(sent.replace(b'"Q"', b'"\\u0000"'))
    with pytest.raises(InvalidScoreEventError, match="nested too deep"):
        decode(sent.replace(b'"Q"', b"[" * 30_000 + b"]" * 30_000))
