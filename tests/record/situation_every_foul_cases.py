"""Every foul of every shipped rulebook on 2nd and 8 at the own 30: yards and downs.

A foul of a kick is on a punt or a kickoff.

By hand from the penalty sections of the rules books; each name begins with rule and section. What a
foul makes of longer plays, of touchdowns and of tries is in situation_foul_cases.py and
situation_end_zone_cases.py.
"""

from __future__ import annotations

from typing import Any

from tests.record.situation_plays import (
    AWAY,
    HOME,
    Case,
    Line,
    down,
    first,
    flag,
    kick,
    kickoff,
    kicks,
    snap,
)

# By competition and foul: rule and section, then whose foul it is and what it costs. `+`: a first
# down besides; `-`: the down is lost.
SCRIMMAGE: dict[str, dict[str, tuple[str, str]]] = {
    "nfl": {
        "Defensive Holding": ("8-4", "defence 5+"),
        "Illegal Contact": ("8-4", "defence 5+"),
        "Illegal Use of Hands": ("12-1", "defence 5+, offence 10"),
        "Roughing the Passer": ("12-2", "defence 15+"),
        "Horse Collar Tackle": ("12-2", "defence 15+"),
        "Face Mask": ("12-2", "defence 15+, offence 15"),
        "Lowering the Head to Initiate Contact": ("12-2", "defence 15+, offence 15"),
        "Illegal Blindside Block": ("12-2", "defence 15+, offence 15"),
        "Unnecessary Roughness": ("12-2", "defence 15+, offence 15"),
        "Unsportsmanlike Conduct": ("12-3", "defence 15+, offence 15"),
        "Taunting": ("12-3", "defence 15+, offence 15"),
        "Disqualification": ("12-3", "defence 15+, offence 15"),
        "Leaping": ("12-3", "defence 15+"),
        "Leverage": ("12-3", "defence 15+"),
        "Defensive Offside": ("7-4", "defence 5"),
        "Encroachment": ("7-4", "defence 5"),
        "Neutral Zone Infraction": ("7-4", "defence 5"),
        "Defensive Delay of Game": ("4-6", "defence 5"),
        "Defensive Too Many Men on Field": ("5-1", "defence 5"),
        "Delay of Game": ("4-6", "defence 5, offence 5"),
        "Illegal Substitution": ("5-2", "defence 5, offence 5"),
        "False Start": ("7-4", "offence 5"),
        "Offensive Offside": ("7-4", "offence 5"),
        "Offensive Too Many Men on Field": ("5-1", "offence 5"),
        "Illegal Formation": ("7-5", "offence 5"),
        "Illegal Motion": ("7-4", "offence 5"),
        "Illegal Shift": ("7-4", "offence 5"),
        "Ineligible Downfield Pass": ("8-3", "offence 5"),
        "Ineligible Downfield Kick": ("9-1", "offence 5"),
        "Illegal Touch Pass": ("8-1", "offence 0-"),
        "Illegal Forward Pass": ("8-1", "offence 5-"),
        "Intentional Grounding": ("8-2", "offence 10-"),
        "Offensive Pass Interference": ("8-5", "offence 10"),
        "Offensive Holding": ("12-1", "offence 10"),
        "Illegal Block Above the Waist": ("12-1", "offence 10"),
        "Illegal Double-Team Block": ("12-1", "offence 10"),
        "Tripping": ("12-1", "defence 10+, offence 10"),
        "Chop Block": ("12-2", "offence 15"),
        "Clipping": ("12-2", "offence 15"),
        "Low Block": ("12-2", "offence 15"),
        "Illegal Crackback": ("12-2", "offence 15"),
        "Illegal Peelback": ("12-2", "offence 15"),
        "Illegal Bat": ("12-4", "offence 10"),
        "Illegal Kick": ("12-4", "offence 10"),
    },
    "ncaa": {
        "Defensive Holding": ("9-3", "defence 10+"),
        "Defensive Pass Interference": ("7-3", "defence 15+"),
        "Illegal Use of Hands": ("9-3", "defence 10+, offence 10"),
        "Roughing the Passer": ("9-1", "defence 15+"),
        "Targeting": ("9-1", "defence 15+, offence 15"),
        "Horse Collar Tackle": ("9-1", "defence 15+"),
        "Face Mask": ("9-1", "defence 15+, offence 15"),
        "Personal Foul": ("9-1", "defence 15+, offence 15"),
        "Unsportsmanlike Conduct": ("9-2", "defence 15+, offence 15"),
        "Offside": ("7-1", "defence 5, offence 5"),
        "Encroachment": ("7-1", "defence 5, offence 5"),
        "Delay of Game": ("3-4", "defence 5, offence 5"),
        "Substitution Infraction": ("3-5", "defence 5, offence 5"),
        "False Start": ("7-1", "offence 5"),
        "Illegal Formation": ("7-1", "offence 5"),
        "Illegal Motion": ("7-1", "offence 5"),
        "Illegal Shift": ("7-1", "offence 5"),
        "Ineligible Receiver Downfield": ("7-3", "offence 5"),
        "Illegal Forward Pass": ("7-3", "offence 5-"),
        "Intentional Grounding": ("7-3", "offence 0-"),
        "Offensive Pass Interference": ("7-3", "offence 15"),
        "Holding": ("9-3", "offence 10"),
        "Illegal Block in the Back": ("9-3", "offence 10"),
        "Chop Block": ("9-1", "offence 15"),
        "Block Below the Waist": ("9-1", "offence 15"),
        "Tripping": ("9-1", "offence 15"),
    },
    "nfhs": {
        "Defensive Holding": ("9-2", "defence 10"),
        "Defensive Pass Interference": ("7-5", "defence 15"),
        "Illegal Use of Hands": ("9-2", "defence 10, offence 10"),
        "Roughing the Passer": ("9-4", "defence 15+"),
        "Horse Collar Tackle": ("9-4", "defence 15"),
        "Face Mask": ("9-4", "defence 15, offence 15"),
        "Personal Foul": ("9-4", "defence 15, offence 15"),
        "Unsportsmanlike Conduct": ("9-5", "defence 15, offence 15"),
        "Encroachment": ("7-1", "defence 5, offence 5"),
        "Delay of Game": ("3-6", "defence 5, offence 5"),
        "Illegal Substitution": ("3-7", "defence 5, offence 5"),
        "False Start": ("7-1", "offence 5"),
        "Illegal Formation": ("7-2", "offence 5"),
        "Illegal Motion": ("7-2", "offence 5"),
        "Illegal Shift": ("7-2", "offence 5"),
        "Ineligible Receiver Downfield": ("7-5", "offence 5"),
        "Illegal Forward Pass": ("7-5", "offence 5-"),
        "Intentional Grounding": ("7-5", "offence 5-"),
        "Offensive Pass Interference": ("7-5", "offence 15"),
        "Holding": ("9-2", "offence 10"),
        "Illegal Block in the Back": ("9-3", "offence 10"),
        "Chop Block": ("9-3", "offence 15"),
        "Block Below the Waist": ("9-3", "offence 15"),
    },
}


def scrimmage_case(competition: str, foul: str, cost: str) -> Case:
    side, price = cost.split()
    yards = int(price.rstrip("+-"))
    by_offence = side == "offence"
    spot = 30 - yards if by_offence else 30 + yards
    line: Line = down(HOME, spot, 2, 38 - spot)
    if price.endswith("+") or spot >= 38:
        line = first(HOME, spot)
    elif price.endswith("-"):
        line = down(HOME, spot, 3, 38 - spot)
    outcome = "change_down" if price.endswith("-") else "nullify"
    body = flag(HOME if by_offence else AWAY, foul, yards, outcome)
    return Case((snap(), body), line, check=True, competition=competition, season=2025)


PUNT = snap(number=4), kick("punt", "fair_catch", 30, 45)


def kick_case(line: Line, *bodies: Any, **more: Any) -> Case:
    return Case(bodies, line, check=True, **{"season": 2025, **more})


KICKS: dict[str, Case] = {
    "NFL 12-2: Roughing the Kicker": kick_case(
        first(HOME, 45), *PUNT, flag(AWAY, "Roughing the Kicker", 15, "first_down")
    ),
    "NFL 12-2: Running Into the Kicker": kick_case(
        down(HOME, 35, 4, 3), *PUNT, flag(AWAY, "Running Into the Kicker", 5, "nullify")
    ),
    "NFL 9-1: Player Out of Bounds on Kick": kick_case(
        first(AWAY, 30), *PUNT, flag(HOME, "Player Out of Bounds on Kick", 5, "downfield")
    ),
    "NFL 10-1: Kick Catch Interference": kick_case(
        first(AWAY, 40), *PUNT, flag(HOME, "Kick Catch Interference", 15, "downfield")
    ),
    "NFL 10-1: Fair Catch Interference": kick_case(
        first(AWAY, 40), *PUNT, flag(HOME, "Fair Catch Interference", 15, "downfield")
    ),
    "NFL 10-2: Invalid Fair Catch Signal": kick_case(
        first(AWAY, 20), *PUNT, flag(AWAY, "Invalid Fair Catch Signal", 5, "downfield")
    ),
    "NFL 6-2: Illegal Touch Kick": kick_case(
        first(AWAY, 30), *PUNT, flag(HOME, "Illegal Touch Kick", 5, "downfield")
    ),
    "NFL 6-1: Offside on Free Kick": kick_case(
        kicks(HOME, 30), kickoff(), flag(HOME, "Offside on Free Kick", 5, "nullify")
    ),
    "NFL 6-2: Kickoff Out of Bounds": kick_case(
        first(AWAY, 40),
        kickoff(),
        kick("kickoff", "out_of_bounds", 35, 60),
        flag(HOME, "Kickoff Out of Bounds", 5, "downfield"),
    ),
    "NFL 6-1: Kickoff Short of Landing Zone": kick_case(
        first(AWAY, 40),
        kickoff(),
        kick("kickoff", "downed", 35, 44),
        flag(HOME, "Kickoff Short of Landing Zone", 18, "downfield"),
    ),
    "NCAA 9-1: Roughing the Kicker": kick_case(
        first(HOME, 45),
        *PUNT,
        flag(AWAY, "Roughing the Kicker", 15, "first_down"),
        competition="ncaa",
    ),
    "NCAA 9-1: Running Into the Kicker": kick_case(
        down(HOME, 35, 4, 3),
        *PUNT,
        flag(AWAY, "Running Into the Kicker", 5, "nullify"),
        competition="ncaa",
    ),
    "NCAA 6-4: Kick Catch Interference": kick_case(
        first(AWAY, 40),
        *PUNT,
        flag(HOME, "Kick Catch Interference", 15, "downfield"),
        competition="ncaa",
    ),
    "NFHS 9-4: Roughing the Kicker": kick_case(
        first(HOME, 45),
        *PUNT,
        flag(AWAY, "Roughing the Kicker", 15, "first_down"),
        competition="nfhs",
    ),
    "NFHS 9-4: Running Into the Kicker": kick_case(
        down(HOME, 35, 4, 3),
        *PUNT,
        flag(AWAY, "Running Into the Kicker", 5, "nullify"),
        competition="nfhs",
    ),
    "NFHS 6-5: Kick Catch Interference": kick_case(
        first(AWAY, 40),
        *PUNT,
        flag(HOME, "Kick Catch Interference", 15, "downfield"),
        competition="nfhs",
    ),
    # To the spot of the foul, however far.
    "NFL 8-5: Defensive Pass Interference": kick_case(
        first(HOME, 61), snap(), flag(AWAY, "Defensive Pass Interference", 31, "first_down")
    ),
}

EVERY_FOUL_CASES: dict[str, Case] = {
    f"{competition.upper()} {article}: {foul}, {cost}": scrimmage_case(competition, foul, cost)
    for competition, fouls in SCRIMMAGE.items()
    for foul, (article, costs) in fouls.items()
    for cost in costs.split(", ")
} | KICKS


def fouls_of(competition: str) -> set[str]:
    """The fouls of a competition that the table has a case of."""
    prefix = f"{competition.upper()} "
    return {
        name.split(": ", 1)[1].split(",")[0] for name in EVERY_FOUL_CASES if name.startswith(prefix)
    }
