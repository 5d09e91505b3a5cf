-- The audit. Whoever connects may add entries; nobody may change or remove one.
CREATE TABLE audit_entries (
    id BIGINT NOT NULL,
    at timestamptz NOT NULL,
    act VARCHAR NOT NULL,
    actor_id BIGINT,
    subject VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    details JSONB NOT NULL,
    personal JSONB,
    salt VARCHAR,
    seal VARCHAR NOT NULL,
    hash VARCHAR NOT NULL,
    CONSTRAINT pk_audit_entries PRIMARY KEY (id),
    CONSTRAINT ck_audit_entries_personal CHECK ((personal IS NULL) = (salt IS NULL))
);
CREATE INDEX ix_audit_entries_actor_id ON audit_entries (actor_id, id);
CREATE INDEX ix_audit_entries_subject ON audit_entries (subject, id);
CREATE INDEX ix_audit_entries_act ON audit_entries (act, id);

CREATE TABLE audit_head (
    id SMALLINT NOT NULL,
    entries BIGINT NOT NULL,
    hash VARCHAR NOT NULL,
    CONSTRAINT pk_audit_head PRIMARY KEY (id),
    CONSTRAINT ck_audit_head_one_row CHECK (id = 1)
);

CREATE FUNCTION guard_audit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      -- Erasing a person takes their address away; the seal stays, so that the chain still holds.
      IF TG_OP = 'UPDATE' AND NEW.personal IS NULL AND NEW.salt IS NULL
        AND (NEW.id, NEW.at, NEW.act, NEW.actor_id, NEW.subject, NEW.reason, NEW.details, NEW.seal, NEW.hash)
        IS NOT DISTINCT FROM
        (OLD.id, OLD.at, OLD.act, OLD.actor_id, OLD.subject, OLD.reason, OLD.details, OLD.seal, OLD.hash) THEN
        RETURN NEW;
      END IF;
      RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = 'the audit is append-only';
    END $$;
CREATE TRIGGER audit_guard BEFORE UPDATE OR DELETE ON audit_entries FOR EACH ROW EXECUTE FUNCTION guard_audit();
CREATE TRIGGER audit_truncate_guard BEFORE TRUNCATE ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION guard_audit();

CREATE FUNCTION guard_audit_head() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'UPDATE' AND NEW.entries = OLD.entries + 1 THEN
        RETURN NEW;
      END IF;
      RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = 'the audit is append-only';
    END $$;
CREATE TRIGGER audit_head_guard BEFORE UPDATE OR DELETE ON audit_head
FOR EACH ROW EXECUTE FUNCTION guard_audit_head();
CREATE TRIGGER audit_head_truncate_guard BEFORE TRUNCATE ON audit_head
FOR EACH STATEMENT EXECUTE FUNCTION guard_audit_head();
