"""Small files of weekly statistics and rosters in nflverse's formats, and a season that has both.

All numbers are made up. Under half PPR the lines of 2025 are worth, a game: Ada Runner 10 rushing
yards and a touchdown, 7.00; Bea Runner 100 rushing yards, 10.00; Cal Catcher 4 catches for 60
yards, 8.00; Dan Passer 250 yards, 2 touchdowns and an interception, 16.00.
"""

from __future__ import annotations

from pathlib import Path

from app.fantasy.season_setup.importing import import_roster, import_schedule
from app.fantasy.season_setup.player_weeks import read_player_weeks
from app.fantasy.season_setup.player_weeks_importing import import_player_weeks
from app.fantasy.season_setup.rosters import read_roster
from app.fantasy.season_setup.schedule import read_schedule
from tests.worlds.season_files import SCHEDULE, written

ADA, BEA, CAL, DAN, EVE, FAY, GUS = (f"00-000010{number}" for number in range(1, 8))

ROSTER = f"""\
season,team,position,status,full_name,gsis_id,birth_date,rookie_year,draft_number
2026,HRB,RB,ACT,Ada Runner,{ADA},2000-09-01,2022,90
2026,SUM,RB,ACT,Bea Runner,{BEA},2000-09-01,2022,90
2026,HRB,WR,ACT,Cal Catcher,{CAL},2000-09-01,2022,90
2026,SUM,QB,ACT,Dan Passer,{DAN},1996-09-01,2019,3
2026,HRB,RB,ACT,Aaron Rookie,{EVE},2004-09-01,2026,250
2026,SUM,RB,ACT,Zoe Rookie,{FAY},2004-09-01,2026,4
2026,SUM,RB,RET,Abe Retired,{GUS},1990-09-01,2012,2
"""

# The format until 2024. 2PT, receiving and fumbles are as in the publisher's file.
_OLD = (
    "player_id,player_display_name,position,recent_team,season,week,season_type,opponent_team,"
    "completions,attempts,passing_yards,passing_tds,interceptions,sacks,sack_yards,sack_fumbles,"
    "sack_fumbles_lost,passing_2pt_conversions,carries,rushing_yards,rushing_tds,rushing_fumbles,"
    "rushing_fumbles_lost,rushing_2pt_conversions,receptions,targets,receiving_yards,receiving_tds,"
    "receiving_fumbles,receiving_fumbles_lost,receiving_2pt_conversions,special_teams_tds,"
    "fantasy_points,fantasy_points_ppr"
)
# The names since 2025, with some columns of the defence and of kickers.
_NEW = _OLD.replace("recent_team", "team").replace(",interceptions,", ",passing_interceptions,")
_NEW = _NEW.replace(",sacks,sack_yards,", ",sacks_suffered,sack_yards_lost,")
_NEW += ",def_tackles_solo,def_sacks,def_interceptions,def_tds,def_safeties,fg_made,fg_made_60_"


def line(
    player: str, club: str, opponent: str, week: int, season: int = 2025, **stats: object
) -> str:
    """A row of the file; `stats` by the names of the older format."""
    values = {
        "player_id": player,
        "player_display_name": "Somebody",
        "position": "RB",
        "recent_team": club,
        "season": season,
        "week": week,
        "season_type": "REG",
        "opponent_team": opponent,
    } | stats
    return ",".join(str(values.get(column, 0)) for column in _OLD.split(","))


def old_file(*rows: str) -> str:
    """A file in the format until 2024."""
    return "\n".join([_OLD, *rows, ""])


def new_file(*rows: str) -> str:
    """A file in the format since 2025: the rows with seven more cells, as `0,0.5,0,0,0,0,0`."""
    return "\n".join([_NEW, *rows, ""])


def season_2025(weeks: int = 17) -> str:
    """The season before: everybody plays each week but Ada, who misses the first."""
    rows: list[str] = []
    for week in range(1, weeks + 1):
        if week > 1:
            rows.append(line(ADA, "HRB", "SUM", week, carries=20, rushing_yards=10, rushing_tds=1))
        rows += [
            line(BEA, "SUM", "HRB", week, carries=20, rushing_yards=100),
            line(
                CAL, "HRB", "SUM", week, position="WR", receptions=4, targets=6, receiving_yards=60
            ),
            line(
                DAN,
                "SUM",
                "HRB",
                week,
                position="QB",
                attempts=30,
                completions=20,
                passing_yards=250,
                passing_tds=2,
                interceptions=1,
                sacks=2,
                sack_yards=14,
            ),
        ]
    return old_file(*rows)


def import_season(folder: Path, *, with_weeks: bool = True, with_roster: bool = True) -> None:
    """The season 2026 with its schedule, roster and, unless told otherwise, the one before."""
    import_schedule(read_schedule(written(folder, "games.csv", SCHEDULE)))
    if with_roster:
        import_roster(read_roster(written(folder, "roster_2026.csv", ROSTER), 2026))
    if with_weeks:
        weeks = written(folder, "player_stats_2025.csv", season_2025())
        import_player_weeks(read_player_weeks([weeks]))
