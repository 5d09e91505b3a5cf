"""What a database's schema is, line by line, for comparing two of them.

Columns, constraints, indexes, triggers, functions, with their names.
"""

from __future__ import annotations

from sqlalchemy import Connection, text

QUERY = text("""
WITH ours AS (
  SELECT oid, relname FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
    AND relname <> 'alembic_version'
)
SELECT format('column %s.%s %s %s%s%s', relname, attname, attnum, format_type(atttypid, atttypmod),
  CASE WHEN attnotnull THEN ' not null' END || CASE attidentity WHEN 'd' THEN ' identity' ELSE ''
    END,
  ' default ' || pg_get_expr(adbin, adrelid))
FROM ours JOIN pg_attribute ON attrelid = ours.oid AND attnum > 0 AND NOT attisdropped
LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
UNION ALL
SELECT format('constraint %s.%s %s', relname, conname, pg_get_constraintdef(c.oid))
FROM ours JOIN pg_constraint c ON conrelid = ours.oid WHERE contype <> 'n'
UNION ALL
SELECT format('index %s', pg_get_indexdef(indexrelid)) FROM ours JOIN pg_index
  ON indrelid = ours.oid
UNION ALL
SELECT format('trigger %s', pg_get_triggerdef(t.oid)) FROM ours JOIN pg_trigger t
  ON tgrelid = ours.oid
WHERE NOT tgisinternal
UNION ALL
SELECT format('function %s %s', proname, md5(pg_get_functiondef(oid))) FROM pg_proc
WHERE pronamespace = 'public'::regnamespace
""")


def schema_lines(connection: Connection) -> list[str]:
    """Sorted; a function is there as the MD5 of its definition."""
    return sorted(line for (line,) in connection.execute(QUERY))
