"""Objects in the blob store, and what is in an archived one."""

from __future__ import annotations

from random import Random

import pytest

from app.core.blob_store import BlobNotFoundError, BlobStore
from app.stream.segments import BrokenSegmentError, decode, digest, encode
from app.stream.topic_reader import StoredMessage

MESSAGES = [
    StoredMessage("t", 3, 40 + n, None if n == 2 else b"key", 1_789_000_000_000 + n, b"v" * n)
    for n in range(9)
]


def test_an_object_is_written_over_listed_and_read_back(each_store: BlobStore) -> None:
    assert each_store.names("a") == []
    with pytest.raises(BlobNotFoundError, match="There is no object a/b/1"):
        each_store.get("a/b/1")
    for name, data in (
        ("a/b/2", b"two"),
        ("a/b/1", b"one"),
        ("ab/3", b"three"),
        ("a/b/1", b"one again"),
    ):
        each_store.put(name, data)
    assert each_store.names("a") == ["a/b/1", "a/b/2"]
    assert each_store.get("a/b/1") == b"one again"


def test_a_draft_left_by_a_killed_writer_is_no_object(each_store: BlobStore) -> None:
    each_store.put("a/1.draft", b"half")
    each_store.put("a/2", b"whole")
    assert each_store.names("a") == ["a/2"]


def test_messages_come_back_as_they_went_in() -> None:
    assert decode(encode(MESSAGES)) == MESSAGES
    assert encode(MESSAGES) == encode(MESSAGES)


def test_the_hash_tells_messages_apart_that_read_alike_end_to_end() -> None:
    assert digest([b"ab", b"c"]) != digest([b"a", b"bc"])


@pytest.mark.parametrize("seed", range(5))
def test_no_changed_byte_goes_unnoticed(seed: int) -> None:
    """Every changed byte is found, or lies where it says nothing about the messages."""
    random, data = Random(seed), encode(MESSAGES)  # noqa: S311  (bytes to break, not a secret)
    broken = 0
    for _ in range(300):
        changed = bytearray(data)
        changed[random.randrange(len(data))] ^= random.randrange(1, 256)
        try:
            assert (
                decode(bytes(changed), count=9, sha256=digest(m.value for m in MESSAGES))
                == MESSAGES
            )
        except BrokenSegmentError:
            broken += 1
    assert broken > 100


def test_a_cut_or_foreign_object_is_distinguished_from_a_segment() -> None:
    data = encode(MESSAGES)
    for wrong in (b"", b"PAR1", data[:-1], data[1:], b"{}"):
        with pytest.raises(BrokenSegmentError, match="cannot be read as Parquet"):
            decode(wrong)
    with pytest.raises(BrokenSegmentError, match="holds 9 messages instead of 8"):
        decode(data, count=8, sha256=digest(m.value for m in MESSAGES))
    with pytest.raises(BrokenSegmentError, match="the hash of its payloads"):
        decode(data, count=9, sha256=digest([]))
