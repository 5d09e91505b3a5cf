"""Several queries in one statement (app/core/db/json_rows.py)."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import text

from app.core.db import db
from app.core.db.json_rows import select_json


@pytest.mark.usefixtures("app")
def test_each_query_is_a_list_of_its_rows_in_order() -> None:
    numbers = text("SELECT n AS number FROM generate_series(1, 3) AS n ORDER BY n DESC").columns()
    nothing = text("SELECT 1 AS number WHERE :is_there").columns()
    statement = select_json({"numbers": numbers, "nothing": nothing})
    document = db.session.execute(statement, {"is_there": False}).scalar_one()
    assert json.loads(document) == {
        "numbers": [{"number": 3}, {"number": 2}, {"number": 1}],
        "nothing": [],
    }
