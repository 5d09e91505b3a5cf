"""Small files in the public formats, for the tests of the importers."""

from __future__ import annotations

from pathlib import Path

ROSTER = """\
season,team,position,depth_chart_position,jersey_number,status,full_name,gsis_id,week
2026,HRB,QB,QB,9,ACT,Quinn Harbor,00-0000001,1
2026,HRB,RB,HB,22,ACT,Rafe Harbor,00-0000002,1
2026,SUM,OL,T,70,ACT,Otto Summit,00-0000003,1
2026,SUM,LB,MLB,55,RES,Lars Summit,00-0000004,1
2026,SUM,K,K,4,SUS,Kim Summit,00-0000005,1
2026,SUM,WR,WR,80,ACT,Nobody Yet,,1
2026,HRB,WR,WR,81,ACT,Wim Mover,00-0000006,1
2026,SUM,WR,WR,81,ACT,Wim Mover,00-0000006,2
"""

# Week 9 is the one in which the clocks go back (1 November 2026).
SCHEDULE = """\
game_id,season,game_type,week,gameday,weekday,gametime,away_team,away_score,home_team,home_score,old_game_id
2026_01_SUM_HRB,2026,REG,1,2026-09-10,Thursday,20:20,SUM,,HRB,,2026091000
2026_01_ASH_QRY,2026,REG,1,2026-09-13,Sunday,13:00,ASH,,QRY,,2026091300
2026_09_HRB_QRY,2026,REG,9,2026-11-01,Sunday,13:00,HRB,,QRY,,2026110100
2026_09_ASH_SUM,2026,REG,9,2026-10-31,Saturday,13:00,ASH,,SUM,,2026103100
2026_19_QRY_HRB,2026,WC,19,2027-01-09,Saturday,,QRY,,HRB,,2027010900
"""


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path
