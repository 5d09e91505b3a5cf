-- Erasure is the one change of the audit that there is: with the rights of the owner of the tables, so that the
-- application's role needs none to change entries (app/core/postgres/roles.py).
CREATE FUNCTION forget_in_audit(member bigint) RETURNS bigint LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    -- Also what was tried at their account by nobody known: who mistyped a password was most likely they.
    WITH forgotten AS (
      UPDATE public.audit_entries SET personal = NULL, salt = NULL
      WHERE personal IS NOT NULL AND (actor_id = member OR (actor_id IS NULL AND subject = 'member:' || member))
      RETURNING id
    )
    SELECT count(*) FROM forgotten
$$;
