-- A team sheet is kept as it was at its deadline: the database itself refuses what comes later.
CREATE FUNCTION team_sheet_refused(name text, words text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION USING ERRCODE = 'check_violation', CONSTRAINT = name, MESSAGE = words;
    END $$;

CREATE FUNCTION guard_team_sheet() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      sheet team_sheets := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
      limits record;
      before team_sheets;
      moment timestamptz;
      touched text[];
    BEGIN
      IF TG_OP = 'DELETE' AND pg_trigger_depth() > 1 THEN
        RETURN OLD; -- it goes with its member
      END IF;
      SELECT r.lock, d.locks_at, s.is_simulated, w.season_id, w.week, w.competition, w.season, w.season_type INTO limits
      FROM team_rules r JOIN seasons s ON s.id = r.season_id JOIN gameweeks w ON w.id = sheet.gameweek_id
      LEFT JOIN sheet_deadlines d ON d.team_rules_id = r.id AND d.gameweek_id = w.id
      WHERE r.id = sheet.team_rules_id;
      IF TG_OP = 'INSERT' AND NEW.is_carried THEN
        SELECT s.* INTO before FROM team_sheets s JOIN gameweeks w ON w.id = s.gameweek_id
        WHERE s.member_id = NEW.member_id AND s.team_rules_id = NEW.team_rules_id AND w.week < limits.week
        ORDER BY w.week DESC LIMIT 1;
        IF (before.picks, before.captain, before.vice_captain, before.paid, before.bank)
          IS DISTINCT FROM (NEW.picks, NEW.captain, NEW.vice_captain, NEW.paid, NEW.bank) OR NEW.transfers > 0 THEN
          PERFORM team_sheet_refused('team_sheet_carried', 'a carried team sheet is the one before, unchanged');
        END IF;
        RETURN NEW;
      END IF;
      moment := CASE WHEN TG_OP = 'DELETE' AND NOT limits.is_simulated THEN clock_timestamp() ELSE sheet.saved_at END;
      IF limits.locks_at IS NULL THEN
        PERFORM team_sheet_refused('team_sheet_deadline', 'these team rules have no deadline for this gameweek');
      END IF;
      IF moment >= limits.locks_at THEN
        PERFORM team_sheet_refused('team_sheet_locked', 'the team sheet locked at ' || limits.locks_at);
      END IF;
      IF TG_OP = 'DELETE' THEN
        RETURN OLD;
      END IF;
      IF NOT limits.is_simulated AND abs(extract(epoch FROM clock_timestamp() - moment)) > 300 THEN
        PERFORM team_sheet_refused('team_sheet_clock', 'saved_at is not the time of now');
      END IF;
      IF (SELECT count(*) <> count(DISTINCT one) FROM unnest(NEW.picks) AS one WHERE one <> '') THEN
        PERFORM team_sheet_refused('team_sheet_twice', 'a footballer stands on the team sheet twice');
      END IF;
      IF limits.lock = 'game' THEN
        SELECT array_agg(footballer) INTO touched FROM (
          SELECT unnest(ARRAY[now_in.one, was_in.one]) AS footballer
          FROM unnest(NEW.picks) WITH ORDINALITY AS now_in (one, place)
          FULL JOIN unnest(CASE TG_OP WHEN 'UPDATE' THEN OLD.picks END) WITH ORDINALITY AS was_in (one, place)
            USING (place)
          WHERE now_in.one IS DISTINCT FROM was_in.one
          UNION SELECT NEW.picks[NEW.captain]
          WHERE TG_OP = 'INSERT' OR OLD.picks[OLD.captain] IS DISTINCT FROM NEW.picks[NEW.captain]
          UNION SELECT OLD.picks[OLD.captain]
          WHERE TG_OP = 'UPDATE' AND OLD.picks[OLD.captain] IS DISTINCT FROM NEW.picks[NEW.captain]
        ) AS moved;
        IF EXISTS (
          SELECT FROM footballers f JOIN games g ON f.club_id IN (g.home_id, g.away_id)
          WHERE f.id = ANY(touched) AND g.kickoff <= moment AND (g.competition, g.season, g.season_type, g.week)
            = (limits.competition, limits.season, limits.season_type, limits.week)
        ) THEN
          PERFORM team_sheet_refused('team_sheet_game_begun', 'the game of a footballer who was moved has begun');
        END IF;
      END IF;
      RETURN NEW;
    END $$;

CREATE TRIGGER team_sheet_guard BEFORE INSERT OR UPDATE OR DELETE ON team_sheets
FOR EACH ROW EXECUTE FUNCTION guard_team_sheet();
