"""The statements of the five access patterns, which queries.py runs.

app/plans/fantasy.py explains their plans. Only constants of this module are filled in for
`{season}`, `{league}`, `{sort}` and `{filters}`.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.accounts.placeholders import PERSON
from app.accounts.sanctions import SEEN_MEMBER
from app.fantasy.sheets.visibility import SHOWN_FROM
from app.fantasy.standings.live_scores import LIVE_SHEETS, SCORES

SORTS = {
    "points": "coalesce(t.total_points, 0)",
    "form": "coalesce(t.form, p.form, 0)",
    "price": "fs.price",
    "selected": "fs.selected",
}

_VIEWER = (
    "coalesce(CAST(:viewer AS bigint), (SELECT member_id FROM players WHERE id = "
    "CAST(:viewer_player AS uuid)))"
)
_SEES = f"""(l.is_public OR l.is_overall
  OR EXISTS (SELECT FROM league_members x WHERE x.league_id = l.id AND x.member_id = {_VIEWER}))"""
NAMED_SEASON = (
    "SELECT * FROM seasons WHERE (competition, season, season_type) = (:competition, :season, "
    ":season_type)"
)
NEWEST = (
    "SELECT n.* FROM seasons n WHERE NOT n.is_simulated AND EXISTS ({has}) ORDER BY n.id DESC "
    "LIMIT 1"
)
# The league, if it counts a gameweek under way: then `live` has to have its points
# (standings/live_scores.py).
_LIVE = """(SELECT CASE WHEN count((SELECT d.version FROM live_gameweeks d
  WHERE d.gameweek_id = dw.id)) > 0 THEN l.id END
    FROM gameweeks dw WHERE dw.season_id = l.season_id AND dw.week >= l.first_week)"""
_SEASON_COLUMNS = "s.competition, s.season, s.season_type"

GAMER = f"""
SELECT m.id, m.display_name, m.country, {_SEASON_COLUMNS}, l.slug, lm.team_name,
  coalesce(lm.total_points, 0) + coalesce((SELECT sum(v.points) FROM {LIVE_SHEETS} v
    WHERE v.league_id = l.id AND v.member_id = m.id), 0)::bigint,
  weeks.points, m.birth_year, {_LIVE}
FROM members m
LEFT JOIN ({{season}}) s ON true
LEFT JOIN leagues l ON l.season_id = s.id AND l.is_overall
LEFT JOIN league_members lm ON lm.league_id = l.id AND lm.member_id = m.id
CROSS JOIN LATERAL (
  SELECT jsonb_object_agg(w.week, c.points) AS points
  FROM {SCORES} c JOIN gameweeks w ON w.id = c.gameweek_id
  WHERE c.league_id = l.id AND c.member_id = m.id
) weeks
WHERE m.id = :gamer AND {PERSON.format("m")} AND {SEEN_MEMBER.format("m.id")}
"""  # noqa: S608
HAS_GAMER = """SELECT FROM leagues o JOIN league_members x ON x.league_id = o.id
    WHERE o.season_id = n.id AND o.is_overall AND x.member_id = :gamer"""

TEAM_SHEET = f"""
SELECT m.id, m.display_name, {_SEASON_COLUMNS}, l.slug, r.format, w.week, w.name, d.locks_at,
  t.captain,
  t.vice_captain, t.bank, t.transfers, t.transfer_cost, t.version, t.is_carried, t.saved_at,
    p.points, p.held,
  p.multipliers, stand.places, {_LIVE}
FROM leagues l
JOIN seasons s ON s.id = l.season_id
JOIN team_rules r ON r.id = l.team_rules_id
JOIN gameweeks w ON w.season_id = l.season_id AND w.week = :week
JOIN sheet_deadlines d ON d.team_rules_id = r.id AND d.gameweek_id = w.id
JOIN league_members lm ON lm.league_id = l.id AND lm.member_id = :gamer
JOIN members m ON m.id = lm.member_id
JOIN team_sheets t ON t.member_id = m.id AND t.team_rules_id = r.id AND t.gameweek_id = w.id
LEFT JOIN LATERAL (
  SELECT v.sheet_points AS points, v.held, v.multipliers FROM {LIVE_SHEETS} v
  WHERE (v.league_id, v.gameweek_id, v.member_id) = (l.id, w.id, m.id)
  UNION ALL
  SELECT s.points, s.held, s.multipliers FROM sheet_points s
  WHERE s.team_sheet_id = t.id AND s.rules = l.rules AND w.settled_at IS NOT NULL
) p ON true
CROSS JOIN LATERAL (
  SELECT jsonb_agg(jsonb_build_array(pick.footballer_id, f.name, coalesce(fs.position, f.position),
    f.club_id,
    pick.purchase_price, ft.gameweeks -> w.week::text) ORDER BY pick.place) AS places
  FROM unnest(t.picks, t.purchase_prices) WITH ORDINALITY AS pick (footballer_id, purchase_price,
    place)
  LEFT JOIN footballers f ON f.id = pick.footballer_id
  LEFT JOIN footballer_seasons fs ON fs.season_id = l.season_id
    AND fs.footballer_id = pick.footballer_id
  LEFT JOIN footballer_totals ft ON ft.season_id = l.season_id AND ft.rules = l.rules
    AND ft.footballer_id = pick.footballer_id
) stand
WHERE {{league}} AND (m.id = {_VIEWER} OR {SHOWN_FROM} <= :now AND {_SEES})
"""  # noqa: S608
NEWEST_OVERALL = """l.id = (SELECT o.id FROM leagues o JOIN seasons n ON n.id = o.season_id
    JOIN league_members x ON x.league_id = o.id AND x.member_id = :gamer
    WHERE o.is_overall AND NOT n.is_simulated ORDER BY o.season_id DESC LIMIT 1)"""

# Everybody may play in an overall league: the first save joins it.
SHEET_PLACE = f"""
SELECT l.slug, r.id, w.id, r.format
FROM leagues l
JOIN team_rules r ON r.id = l.team_rules_id
JOIN gameweeks w ON w.season_id = l.season_id AND w.week = :week
WHERE {{league}} AND :gamer = {_VIEWER}
  AND (l.is_overall AND NOT EXISTS (SELECT FROM league_bans b WHERE b.league_id = l.id
    AND b.member_id = :gamer)
    OR EXISTS (SELECT FROM league_members x WHERE x.league_id = l.id AND x.member_id = :gamer))
"""  # noqa: S608
NEWEST_OPEN_TO_ALL = """l.id = (SELECT o.id FROM leagues o JOIN seasons n ON n.id = o.season_id
    WHERE o.is_overall AND NOT n.is_simulated ORDER BY o.season_id DESC LIMIT 1)"""

_FOOTBALLER_COLUMNS = (
    f"""{_SEASON_COLUMNS}, s.rules, f.id, f.name, f.number, f.club_id, c.name AS club, fs.position,
  fs.price, fs.selected, fs.status, fs.news, coalesce(t.total_points, 0),
  coalesce(t.form, p.form, 0), t.gameweeks"""
    ""
)

FOOTBALLER = f"""
SELECT {_FOOTBALLER_COLUMNS}
FROM ({{season}}) s
JOIN footballer_seasons fs ON fs.season_id = s.id AND fs.footballer_id = :footballer
JOIN footballers f ON f.id = fs.footballer_id
LEFT JOIN clubs c ON c.id = f.club_id
LEFT JOIN footballer_totals t ON t.season_id = s.id AND t.rules = s.rules
  AND t.footballer_id = fs.footballer_id
LEFT JOIN preseason_projections p ON p.season_id = s.id AND p.rules = s.rules
  AND p.footballer_id = fs.footballer_id
"""  # noqa: S608
HAS_FOOTBALLER = (
    "SELECT FROM footballer_seasons x WHERE x.season_id = n.id AND x.footballer_id = :footballer"
)

# The page is limited before names are joined, because a position has hundreds of footballers.
POSITION = f"""
SELECT {_FOOTBALLER_COLUMNS}
FROM ({{season}}) s
LEFT JOIN LATERAL (
  SELECT fs.*
  FROM footballer_seasons fs
  LEFT JOIN footballer_totals t ON t.season_id = s.id AND t.rules = s.rules
    AND t.footballer_id = fs.footballer_id
  LEFT JOIN preseason_projections p ON p.season_id = s.id AND p.rules = s.rules
    AND p.footballer_id = fs.footballer_id
  WHERE fs.season_id = s.id AND fs.position = :position{{filters}}
  ORDER BY {{sort}} DESC, fs.footballer_id LIMIT :limit OFFSET :offset
) fs ON true
LEFT JOIN footballers f ON f.id = fs.footballer_id
LEFT JOIN clubs c ON c.id = f.club_id
LEFT JOIN footballer_totals t ON t.season_id = s.id AND t.rules = s.rules
  AND t.footballer_id = fs.footballer_id
LEFT JOIN preseason_projections p ON p.season_id = s.id AND p.rules = s.rules
  AND p.footballer_id = fs.footballer_id
ORDER BY {{sort}} DESC, fs.footballer_id
"""  # noqa: S608
HAS_POSITION = (
    "SELECT FROM footballer_seasons x WHERE x.season_id = n.id AND x.position = :position"
)
SEARCH = (
    r" AND EXISTS (SELECT FROM footballers n WHERE n.id = fs.footballer_id AND n.name ILIKE "
    r":search ESCAPE '\')"
)
CLUB = " AND EXISTS (SELECT FROM footballers n WHERE n.id = fs.footballer_id AND n.club_id = :club)"

# Ranks are computed along the index up to the page, never over the whole league.
LEAGUE = f"""
SELECT {_SEASON_COLUMNS}, l.slug, l.name, l.mode, l.rules, l.first_week, stand.rank, m.id,
  m.display_name, m.country,
  lm.team_name, stand.total_points + coalesce((SELECT sum(v.points) FROM {LIVE_SHEETS} v
    WHERE v.league_id = l.id AND v.member_id = m.id), 0)::bigint AS total, weeks.points, {_LIVE}
FROM leagues l
JOIN seasons s ON s.id = l.season_id
LEFT JOIN LATERAL (
  SELECT dense_rank() OVER (ORDER BY x.total_points DESC) AS rank, x.member_id, x.total_points
  FROM league_members x WHERE x.league_id = l.id AND {SEEN_MEMBER.format("x.member_id")}
  ORDER BY x.total_points DESC, x.member_id LIMIT :limit OFFSET :offset
) stand ON true
LEFT JOIN league_members lm ON lm.league_id = l.id AND lm.member_id = stand.member_id
LEFT JOIN members m ON m.id = stand.member_id
CROSS JOIN LATERAL (
  SELECT jsonb_object_agg(w.week, c.points) AS points
  FROM {SCORES} c JOIN gameweeks w ON w.id = c.gameweek_id
  WHERE c.league_id = l.id AND c.member_id = stand.member_id
) weeks
WHERE l.slug = :league AND {_SEES}
ORDER BY total DESC, stand.member_id
"""  # noqa: S608

# The same for these gamers, whose ranks are known.
LEAGUE_OF_THESE = LEAGUE.replace(
    "dense_rank() OVER (ORDER BY x.total_points DESC) AS rank", "NULL::bigint AS rank"
).replace(
    "WHERE x.league_id = l.id AND", "WHERE x.league_id = l.id AND x.member_id = ANY(:members) AND"
)

# The documentation of each access pattern: what it answers, and its statement without a season,
# league or filter.
LOOKUPS: Mapping[str, tuple[str, str]] = {
    "gamer": (
        "Gamer details by gamer id: total and points by gameweek in the overall league.",
        GAMER.format(season=NEWEST.format(has=HAS_GAMER)),
    ),
    "team-sheet": (
        "Team sheet of a gamer and a gameweek, place by place; another's only after the deadline.",
        TEAM_SHEET.format(league=NEWEST_OVERALL),
    ),
    "footballer": (
        "Footballer details by footballer id, on the season's market.",
        FOOTBALLER.format(season=NEWEST.format(has=HAS_FOOTBALLER)),
    ),
    "footballers-of-a-position": (
        "Footballers of a position, those with the most points first.",
        POSITION.format(season=NEWEST.format(has=HAS_POSITION), sort=SORTS["points"], filters=""),
    ),
    "gamers-of-a-league": ("Gamers of a league by their total points, with dense ranks.", LEAGUE),
}
