"""Changes an input where it hurts: values of a JSON document, words of a text.

Otherwise bytes, as libFuzzer does.
"""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

import atheris

from tests.web.odd_values import MORE, NASTY

LONG = 1000  # odd values above are left to tests of their own: an input is 64 KiB at most
ODD_TEXTS = [
    *NASTY,
    *(value for value in MORE if len(value) <= LONG),
    "\ud800",
    "a\n",
    "9999-12-31T23:59:59",
    "x" * LONG,
]
ODD_VALUES = [
    *ODD_TEXTS,
    None,
    True,
    [],
    {},
    [[]],
    0,
    -1,
    1.5,
    2**31,
    2**63,
    -(2**63) - 1,
    10**30,
    1e308,
    float("nan"),
]
_WORDS = re.compile(r"([,;&=?/:\s\"]+)")


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """For `atheris.Setup`: the changed input, at most `max_size` bytes."""
    random = Random(seed)  # noqa: S311  (nothing secret)
    changed = _of_json(data, random) or _of_words(data, random) if random.random() < 0.6 else b""
    if changed and len(changed) <= max_size:
        return changed
    mutated: bytes = atheris.Mutate(data, max_size)
    return mutated


def _of_json(data: bytes, random: Random) -> bytes:
    """The document may stand behind a first line, or behind an empty one."""
    for head in (b"", b"\n\n", b"\n"):
        before, middle, document = data.partition(head) if head else (b"", b"", data)
        try:
            value = json.loads(document)
        except (ValueError, RecursionError):
            continue
        return before + middle + _of_value(value, random)
    return b""


def _of_value(value: Any, random: Random) -> bytes:
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        value = _changed(value, random)
    return json.dumps(value, ensure_ascii=random.random() < 0.7).encode(errors="surrogatepass")


def _changed(value: Any, random: Random) -> Any:
    """Change, drop or duplicate one value anywhere in the document."""
    place = random.choice(list(_places(value)) or [()])
    if not place:
        return _copied(random.choice(ODD_VALUES))
    holder = value
    for step in place[:-1]:
        holder = holder[step]
    act = random.random()
    if act < 0.15:
        del holder[place[-1]]
    elif act < 0.25 and isinstance(holder, dict):
        holder[random.choice(ODD_TEXTS)] = _copied(holder[place[-1]])
    elif act < 0.3 and isinstance(holder, list):
        holder.append(_copied(holder[place[-1]]))
    elif act < 0.5:
        holder[place[-1]] = _other(value, random)
    elif act < 0.7 and isinstance(holder[place[-1]], str):
        text = atheris.Mutate(holder[place[-1]].encode(errors="replace"), 200)
        holder[place[-1]] = text.decode(errors="replace")
    else:
        holder[place[-1]] = _copied(random.choice(ODD_VALUES))
    return value


def _other(value: Any, random: Random) -> Any:
    """A value from elsewhere in the document."""
    for step in random.choice(list(_places(value))):
        value = value[step]
    return _copied(value)


def _copied(value: Any) -> Any:
    """A value of its own: a document in which it stands twice could come to hold itself."""
    return json.loads(json.dumps(value))


def _places(value: Any, place: tuple[Any, ...] = ()) -> Any:
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for step, item in inside:
        yield (*place, step)
        if len(place) < 50:
            yield from _places(item, (*place, step))


def _of_words(data: bytes, random: Random) -> bytes:
    """A word or cell of a text is another one of it, or an odd one."""
    parts = _WORDS.split(data.decode(errors="replace"))
    for _ in range(random.choice((1, 1, 2, 3))):
        place = 2 * random.randrange((len(parts) + 1) // 2)
        parts[place] = (
            random.choice(ODD_TEXTS)
            if random.random() < 0.7
            else parts[2 * random.randrange(len(parts) // 2 + 1)]
        )
    return "".join(parts).encode(errors="surrogatepass")
