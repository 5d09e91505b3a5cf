-- Score attempts by month (docs/decisions/0104). An attempt is unique in score_attempt_keys, over all partitions and
-- archived months: whoever writes attempts writes their keys, and a second attempt with the same key is an error.
-- Rows that move between a partition and the archive keep their keys: they pass these triggers by.
CREATE FUNCTION add_attempt_keys() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO score_attempt_keys (event_id, player_id, mode_id, achieved_at)
      SELECT event_id, player_id, mode_id, achieved_at FROM new_rows ORDER BY event_id;
      RETURN NULL;
    END $$;
CREATE TRIGGER add_attempt_keys AFTER INSERT ON score_attempts
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION add_attempt_keys();

CREATE FUNCTION remove_attempt_keys() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM score_attempt_keys k USING old_rows o WHERE k.event_id = o.event_id;
      RETURN NULL;
    END $$;
CREATE TRIGGER remove_attempt_keys AFTER DELETE ON score_attempts
REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION remove_attempt_keys();

CREATE FUNCTION score_month_table(first date) RETURNS text LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT 'score_attempts_' || lpad(extract(year FROM first)::int::text, 4, '0') || '_'
      || lpad(extract(month FROM first)::int::text, 2, '0')
$$;

-- The functions below run with the rights of the owner of the tables: the application's role may neither create nor
-- drop a table (app/core/postgres/roles.py).

-- A table for the month beside score_attempts, to be filled before it becomes a partition.
CREATE FUNCTION begin_score_month(first date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      IF extract(day FROM first) <> 1 THEN
        RAISE EXCEPTION '% is not the first day of a month', first;
      END IF;
      EXECUTE format('CREATE TABLE public.%I (LIKE public.score_attempts INCLUDING DEFAULTS INCLUDING CONSTRAINTS)',
        public.score_month_table(first));
      EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON public.%I TO %I',
        public.score_month_table(first), session_user);
    END $$;

-- Make it a partition, with the rows that were waiting for it in the default partition.
CREATE FUNCTION attach_score_month(first date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
      part text := public.score_month_table(first);
      starts timestamptz := first::timestamp AT TIME ZONE 'UTC';
      ends timestamptz := (first + interval '1 month') AT TIME ZONE 'UTC';
    BEGIN
      LOCK TABLE public.score_attempts_default IN ACCESS EXCLUSIVE MODE;
      EXECUTE format('WITH moved AS (DELETE FROM public.score_attempts_default'
        ' WHERE achieved_at >= %L AND achieved_at < %L RETURNING *) INSERT INTO public.%I SELECT * FROM moved',
        starts, ends, part);
      EXECUTE format('ALTER TABLE public.score_attempts ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
        part, starts, ends);
    END $$;

CREATE FUNCTION add_score_month(first date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      IF to_regclass('public.' || public.score_month_table(first)) IS NULL THEN
        PERFORM public.begin_score_month(first);
        PERFORM public.attach_score_month(first);
      END IF;
    END $$;

-- The month's rows leave PostgreSQL. Nothing is dropped that is not recorded as archived.
CREATE FUNCTION drop_score_month(first date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM public.score_months WHERE month = first AND restored_at IS NULL) THEN
        RAISE EXCEPTION 'the scores of % are not archived', first;
      END IF;
      EXECUTE format('DROP TABLE public.%I', public.score_month_table(first));
    END $$;

-- Called by each `pressbox migrate` (migrations/env.py): this month and the next three, and months of which rows wait in
-- the default partition, unless they are archived: those wait for the job that archives months.
CREATE FUNCTION partition_score_attempts() RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      PERFORM public.add_score_month(first) FROM (
        SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead))::date AS first
          FROM generate_series(0, 3) ahead
        UNION
        SELECT date_trunc('month', achieved_at AT TIME ZONE 'UTC')::date FROM public.score_attempts_default
        EXCEPT
        SELECT month FROM public.score_months WHERE restored_at IS NULL
        ORDER BY 1
      ) months;
    END $$;
