"""Pages of lists: which one was asked for, and how many there are.

Flask-SQLAlchemy's `paginate` is not used: it gives the first column of a select, and lists here are
rows of several columns, often of one statement with window functions, that open at the page which
has the viewer.
"""

from __future__ import annotations

from flask import abort, request

from app.core.numbers import as_whole

LAST_PAGE = 40_000


def page_number() -> int:
    """The number of the page that was asked for, from 1; 404 for what cannot be one."""
    page = request.args.get("page", 1, type=as_whole)
    return page if 1 <= page <= LAST_PAGE else abort(404)


def page_count(count: int, rows: int) -> int:
    """How many pages so many entries fill; 1 for none.

    >>> [page_count(count, 50) for count in (0, 50, 51)]
    [1, 1, 2]
    """
    return max(1, -(-count // rows))
