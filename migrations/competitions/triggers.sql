-- A competition's window that is over is settled again when what counts in it changes: whoever writes, it is noted here.
-- The clock is the statement's, not the transaction's, and the window's row is written whether it was settled or not: of
-- a settlement and such a change, both at work, one waits for the other and finds what it wrote.
CREATE FUNCTION note_changed_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        WITH changed AS (
          SELECT DISTINCT w.competition_id, w.number
          FROM new_rows n
          JOIN competitions c ON c.mode_id = n.mode_id
          JOIN competition_windows w ON w.competition_id = c.id AND w.starts_at <= n.achieved_at
            AND w.ends_at > n.achieved_at AND w.ends_at <= clock_timestamp() AND w.final_at > clock_timestamp()
          JOIN competition_entries e ON e.competition_id = w.competition_id AND e.window_number = w.number
            AND e.player_id = n.player_id)
        UPDATE competition_windows w SET stale_since = clock_timestamp()
        FROM (SELECT w.competition_id, w.number FROM competition_windows w JOIN changed USING (competition_id, number)
              ORDER BY w.competition_id, w.number FOR NO KEY UPDATE OF w) held
        WHERE w.competition_id = held.competition_id AND w.number = held.number;
      ELSE
        WITH changed AS (
          SELECT DISTINCT w.competition_id, w.number
          FROM new_rows n
          JOIN old_rows o USING (event_id)
          JOIN competitions c ON c.mode_id = n.mode_id
          JOIN competition_windows w ON w.competition_id = c.id AND w.starts_at <= n.achieved_at
            AND w.ends_at > n.achieved_at AND w.ends_at <= clock_timestamp() AND w.final_at > clock_timestamp()
          JOIN competition_entries e ON e.competition_id = w.competition_id AND e.window_number = w.number
            AND e.player_id = n.player_id
          WHERE n.fraud_state <> o.fraud_state OR n.rolled_back_at IS DISTINCT FROM o.rolled_back_at)
        UPDATE competition_windows w SET stale_since = clock_timestamp()
        FROM (SELECT w.competition_id, w.number FROM competition_windows w JOIN changed USING (competition_id, number)
              ORDER BY w.competition_id, w.number FOR NO KEY UPDATE OF w) held
        WHERE w.competition_id = held.competition_id AND w.number = held.number;
      END IF;
      RETURN NULL;
    END $$;
CREATE TRIGGER note_inserted_attempts AFTER INSERT ON score_attempts
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_attempts();
CREATE TRIGGER note_changed_attempts AFTER UPDATE ON score_attempts
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_changed_attempts();

CREATE FUNCTION note_hidden_players() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE competition_windows w SET stale_since = clock_timestamp()
      FROM (SELECT w.competition_id, w.number FROM competition_windows w
            JOIN competition_entries e ON e.competition_id = w.competition_id AND e.window_number = w.number
            WHERE e.player_id = NEW.id AND w.ends_at <= clock_timestamp() AND w.final_at > clock_timestamp()
            ORDER BY w.competition_id, w.number FOR NO KEY UPDATE OF w) held
      WHERE w.competition_id = held.competition_id AND w.number = held.number;
      RETURN NULL;
    END $$;
CREATE TRIGGER note_hidden_players AFTER UPDATE OF hidden_at ON players FOR EACH ROW
WHEN ((OLD.hidden_at IS NULL) <> (NEW.hidden_at IS NULL)) EXECUTE FUNCTION note_hidden_players();
