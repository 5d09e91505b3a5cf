-- One table a kind of play, and the rule that what was made invalid stays so. Kept by app/record.

CREATE TABLE challenges (
    game_id varchar NOT NULL,
    event_number integer NOT NULL,
    revision integer NOT NULL,
    play_number integer NOT NULL,
    valid boolean NOT NULL,
    by varchar,
    ruling varchar NOT NULL,
    reason varchar NOT NULL,
    CONSTRAINT pk_challenges PRIMARY KEY (game_id, event_number, revision)
);
CREATE INDEX ix_challenges_game_id ON challenges (game_id) WHERE valid;
CREATE UNIQUE INDEX uq_challenges_valid ON challenges (game_id, event_number) WHERE valid;

CREATE TABLE conversions (
    game_id varchar NOT NULL,
    event_number integer NOT NULL,
    revision integer NOT NULL,
    play_number integer NOT NULL,
    valid boolean NOT NULL,
    team varchar NOT NULL,
    side varchar NOT NULL,
    kind varchar NOT NULL,
    good boolean NOT NULL,
    passer_id varchar,
    player_id varchar,
    CONSTRAINT pk_conversions PRIMARY KEY (game_id, event_number, revision)
);
CREATE INDEX ix_conversions_game_id ON conversions (game_id, player_id) WHERE valid;
CREATE UNIQUE INDEX uq_conversions_valid ON conversions (game_id, event_number) WHERE valid;

CREATE TABLE credits (
    game_id varchar NOT NULL,
    event_number integer NOT NULL,
    revision integer NOT NULL,
    play_number integer NOT NULL,
    valid boolean NOT NULL,
    team varchar NOT NULL,
    player_id varchar,
    kind varchar NOT NULL,
    CONSTRAINT pk_credits PRIMARY KEY (game_id, event_number, revision)
);
CREATE INDEX ix_credits_game_id ON credits (game_id, player_id) WHERE valid;
CREATE UNIQUE INDEX uq_credits_valid ON credits (game_id, event_number) WHERE valid;

CREATE TABLE kicks (
    game_id varchar NOT NULL,
    event_number integer NOT NULL,
    revision integer NOT NULL,
    play_number integer NOT NULL,
    valid boolean NOT NULL,
    team varchar NOT NULL,
    kicker_id varchar,
    kind varchar NOT NULL,
    result varchar NOT NULL,
    start_yard integer,
    distance integer,
    blocked_by_id varchar,
    CONSTRAINT pk_kicks PRIMARY KEY (game_id, event_number, revision)
);
CREATE INDEX ix_kicks_game_id ON kicks (game_id, kicker_id) WHERE valid;
CREATE UNIQUE INDEX uq_kicks_valid ON kicks (game_id, event_number) WHERE valid;

CREATE TABLE passes (
    game_id varchar NOT NULL,
    event_number integer NOT NULL,
    revision integer NOT NULL,
    play_number integer NOT NULL,
    valid boolean NOT NULL,
    team varchar NOT NULL,
    passer_id varchar,
    receiver_id varchar,
    result varchar NOT NULL,
    throw_yard integer NOT NULL,
    reception_yard integer,
    is_touchdown boolean NOT NULL,
    CONSTRAINT pk_passes PRIMARY KEY (game_id, event_number, revision)
);
CREATE INDEX ix_passes_game_id ON passes (game_id, passer_id) WHERE valid;
CREATE UNIQUE INDEX uq_passes_valid ON passes (game_id, event_number) WHERE valid;

CREATE TABLE penalties (
    game_id varchar NOT NULL,
    event_number integer NOT NULL,
    revision integer NOT NULL,
    play_number integer NOT NULL,
    valid boolean NOT NULL,
    team varchar NOT NULL,
    player_id varchar,
    foul varchar NOT NULL,
    yards integer NOT NULL,
    status varchar NOT NULL,
    outcome varchar,
    enforcement_yard integer,
    CONSTRAINT pk_penalties PRIMARY KEY (game_id, event_number, revision)
);
CREATE INDEX ix_penalties_game_id ON penalties (game_id, player_id) WHERE valid;
CREATE UNIQUE INDEX uq_penalties_valid ON penalties (game_id, event_number) WHERE valid;

CREATE TABLE plays (
    game_id varchar NOT NULL,
    event_number integer NOT NULL,
    revision integer NOT NULL,
    play_number integer NOT NULL,
    valid boolean NOT NULL,
    start_timestamp bigint NOT NULL,
    game_seconds_played integer NOT NULL,
    possession varchar NOT NULL,
    field_position integer NOT NULL,
    situation varchar NOT NULL,
    period integer NOT NULL,
    clock integer NOT NULL,
    down integer,
    distance integer,
    CONSTRAINT pk_plays PRIMARY KEY (game_id, event_number, revision)
);
CREATE INDEX ix_plays_game_id ON plays (game_id) WHERE valid;
CREATE UNIQUE INDEX uq_plays_valid ON plays (game_id, event_number) WHERE valid;

CREATE TABLE runs (
    game_id varchar NOT NULL,
    event_number integer NOT NULL,
    revision integer NOT NULL,
    play_number integer NOT NULL,
    valid boolean NOT NULL,
    team varchar NOT NULL,
    player_id varchar,
    kind varchar NOT NULL,
    start_yard integer NOT NULL,
    end_yard integer NOT NULL,
    is_rush boolean NOT NULL,
    is_touchdown boolean NOT NULL,
    CONSTRAINT pk_runs PRIMARY KEY (game_id, event_number, revision)
);
CREATE INDEX ix_runs_game_id ON runs (game_id, player_id) WHERE valid;
CREATE UNIQUE INDEX uq_runs_valid ON runs (game_id, event_number) WHERE valid;

CREATE TABLE sacks (
    game_id varchar NOT NULL,
    event_number integer NOT NULL,
    revision integer NOT NULL,
    play_number integer NOT NULL,
    valid boolean NOT NULL,
    team varchar NOT NULL,
    player_id varchar,
    start_yard integer NOT NULL,
    end_yard integer NOT NULL,
    by_team varchar,
    is_shared boolean NOT NULL,
    half_1_id varchar,
    half_2_id varchar,
    CONSTRAINT pk_sacks PRIMARY KEY (game_id, event_number, revision)
);
CREATE INDEX ix_sacks_game_id ON sacks (game_id, player_id) WHERE valid;
CREATE UNIQUE INDEX uq_sacks_valid ON sacks (game_id, event_number) WHERE valid;

CREATE TABLE safeties (
    game_id varchar NOT NULL,
    event_number integer NOT NULL,
    revision integer NOT NULL,
    play_number integer NOT NULL,
    valid boolean NOT NULL,
    team varchar NOT NULL,
    player_id varchar,
    points integer NOT NULL,
    CONSTRAINT pk_safeties PRIMARY KEY (game_id, event_number, revision)
);
CREATE INDEX ix_safeties_game_id ON safeties (game_id, player_id) WHERE valid;
CREATE UNIQUE INDEX uq_safeties_valid ON safeties (game_id, event_number) WHERE valid;

CREATE TABLE tackles (
    game_id varchar NOT NULL,
    event_number integer NOT NULL,
    revision integer NOT NULL,
    play_number integer NOT NULL,
    valid boolean NOT NULL,
    team varchar NOT NULL,
    tackler_id varchar,
    tackled_id varchar,
    kind varchar NOT NULL,
    field_position integer,
    CONSTRAINT pk_tackles PRIMARY KEY (game_id, event_number, revision)
);
CREATE INDEX ix_tackles_game_id ON tackles (game_id, tackler_id) WHERE valid;
CREATE UNIQUE INDEX uq_tackles_valid ON tackles (game_id, event_number) WHERE valid;

CREATE TABLE turnovers (
    game_id varchar NOT NULL,
    event_number integer NOT NULL,
    revision integer NOT NULL,
    play_number integer NOT NULL,
    valid boolean NOT NULL,
    kind varchar NOT NULL,
    team varchar NOT NULL,
    player_id varchar,
    yard integer,
    forced_by_id varchar,
    out_of_bounds boolean NOT NULL,
    is_touchdown boolean NOT NULL,
    CONSTRAINT pk_turnovers PRIMARY KEY (game_id, event_number, revision)
);
CREATE INDEX ix_turnovers_game_id ON turnovers (game_id, player_id) WHERE valid;
CREATE UNIQUE INDEX uq_turnovers_valid ON turnovers (game_id, event_number) WHERE valid;

-- `valid` goes from true to false and never back: the database itself refuses.
CREATE FUNCTION refuse_valid_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'event % of game % revision % was made invalid and stays so',
    OLD.event_number, OLD.game_id, OLD.revision USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER refuse_valid_again BEFORE UPDATE OF valid ON events
FOR EACH ROW WHEN (NOT OLD.valid AND NEW.valid) EXECUTE FUNCTION refuse_valid_again();
CREATE TRIGGER refuse_valid_again BEFORE UPDATE OF valid ON plays
FOR EACH ROW WHEN (NOT OLD.valid AND NEW.valid) EXECUTE FUNCTION refuse_valid_again();
CREATE TRIGGER refuse_valid_again BEFORE UPDATE OF valid ON passes
FOR EACH ROW WHEN (NOT OLD.valid AND NEW.valid) EXECUTE FUNCTION refuse_valid_again();
CREATE TRIGGER refuse_valid_again BEFORE UPDATE OF valid ON runs
FOR EACH ROW WHEN (NOT OLD.valid AND NEW.valid) EXECUTE FUNCTION refuse_valid_again();
CREATE TRIGGER refuse_valid_again BEFORE UPDATE OF valid ON sacks
FOR EACH ROW WHEN (NOT OLD.valid AND NEW.valid) EXECUTE FUNCTION refuse_valid_again();
CREATE TRIGGER refuse_valid_again BEFORE UPDATE OF valid ON tackles
FOR EACH ROW WHEN (NOT OLD.valid AND NEW.valid) EXECUTE FUNCTION refuse_valid_again();
CREATE TRIGGER refuse_valid_again BEFORE UPDATE OF valid ON turnovers
FOR EACH ROW WHEN (NOT OLD.valid AND NEW.valid) EXECUTE FUNCTION refuse_valid_again();
CREATE TRIGGER refuse_valid_again BEFORE UPDATE OF valid ON kicks
FOR EACH ROW WHEN (NOT OLD.valid AND NEW.valid) EXECUTE FUNCTION refuse_valid_again();
CREATE TRIGGER refuse_valid_again BEFORE UPDATE OF valid ON conversions
FOR EACH ROW WHEN (NOT OLD.valid AND NEW.valid) EXECUTE FUNCTION refuse_valid_again();
CREATE TRIGGER refuse_valid_again BEFORE UPDATE OF valid ON safeties
FOR EACH ROW WHEN (NOT OLD.valid AND NEW.valid) EXECUTE FUNCTION refuse_valid_again();
CREATE TRIGGER refuse_valid_again BEFORE UPDATE OF valid ON credits
FOR EACH ROW WHEN (NOT OLD.valid AND NEW.valid) EXECUTE FUNCTION refuse_valid_again();
CREATE TRIGGER refuse_valid_again BEFORE UPDATE OF valid ON penalties
FOR EACH ROW WHEN (NOT OLD.valid AND NEW.valid) EXECUTE FUNCTION refuse_valid_again();
CREATE TRIGGER refuse_valid_again BEFORE UPDATE OF valid ON challenges
FOR EACH ROW WHEN (NOT OLD.valid AND NEW.valid) EXECUTE FUNCTION refuse_valid_again();
