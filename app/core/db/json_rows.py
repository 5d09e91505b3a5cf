"""Several queries in one statement, whose rows come as one JSON document.

A page that needs a few rows of each of many queries waits for one round trip instead of many.
msgspec decodes the document into dataclasses whose fields are named like the columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Select, Text, cast, func, literal_column, select
from sqlalchemy.sql.selectable import SelectBase


def select_json(queries: Mapping[str, SelectBase]) -> Select[Any]:
    """Return a query of one text: a JSON object with a list of rows, in order, for each query."""
    fields: list[ColumnElement[Any]] = []
    for name, query in queries.items():
        row: ColumnElement[Any] = literal_column(f'"{name}"')
        rows = select(func.json_agg(row)).select_from(query.subquery(name)).scalar_subquery()
        fields += [literal_column(f"'{name}'"), func.coalesce(rows, literal_column("'[]'::json"))]
    return select(cast(func.json_build_object(*fields), Text))
