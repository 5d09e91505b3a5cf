"""Pages of lists: which one was requested, and how many there are.

Flask-SQLAlchemy's `paginate` is not used, because it returns only the first column of a select.
Lists here have rows of several columns, often from one statement with window functions, and open at
the viewer's page.
"""

from __future__ import annotations

from collections.abc import Mapping

from flask import abort

from app.core.http.sent_numbers import query_number

LAST_PAGE = 40_000


def page_number(values: Mapping[str, str] | None = None) -> int:
    """The requested page, from 1; aborts with 404 if it cannot exist.

    `values`: the arguments if they are not those of the current request.
    """
    page = query_number("page", values=values)
    if page is None:
        return 1
    return page if 1 <= page <= LAST_PAGE else abort(404)


def page_count(count: int, rows: int) -> int:
    """Return the number of pages for this number of entries, at least 1.

    >>> [page_count(count, 50) for count in (0, 50, 51)]
    [1, 1, 2]
    """
    return max(1, -(-count // rows))
