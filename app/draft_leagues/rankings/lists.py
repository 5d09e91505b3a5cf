"""A member's own order of footballers on top of a ranking. Pure.

A list names its first footballers; everybody else follows in the order of the ranking. So a list
that was changed at its top still learns what the record says about the others.
"""

from __future__ import annotations

from collections.abc import Sequence


def in_order(ranking: Sequence[str], *lists: Sequence[str]) -> list[str]:
    """Everybody of the ranking: those of the first list first, then of the next, then the others.

    Footballers of a list who are not in the ranking are left out.

    >>> in_order(["a", "b", "c", "d"], ["c", "x"], ["d", "c"])
    ['c', 'd', 'a', 'b']
    """
    known = set(ranking)
    listed = [footballer for each in lists for footballer in each if footballer in known]
    return list(dict.fromkeys([*listed, *ranking]))


def moved(
    ranking: Sequence[str], own_list: Sequence[str], footballer: str, place: int
) -> list[str]:
    """The member's list after somebody was moved to a place (from 1).

    It is as short as possible: it ends with the last place that differs from the ranking by
    anything the member did.

    >>> moved(["a", "b", "c", "d"], [], "c", 2)
    ['a', 'c']
    >>> moved(["a", "b", "c", "d"], ["a", "c"], "a", 3)
    ['c', 'b', 'a']
    """
    order = in_order(ranking, own_list)
    listed = len(set(own_list) & set(ranking) | {footballer})
    order.remove(footballer)
    place = min(max(place, 1), len(order) + 1)
    order.insert(place - 1, footballer)
    return order[: max(listed, place)]
