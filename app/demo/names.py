"""Invented people: lists of names, and a draw without repeats.

The surnames are rare in the sport, so that no draw gives a well-known player. Who plays for whom is
in clubs.py.
"""

from __future__ import annotations

from itertools import cycle, islice
from random import Random

GIVEN_NAMES = tuple(
    """
    Abel Adewale Alaric Alistair Amadou Anselm Anton Aroha Bashir Benedek Bram Caius Cassian Cato
    Cyprian Dacre Damario Darnell Dashiell Deshaun Dimitri Eamon Ebrima Efrain Elio Emeka Enzo
    Ephraim Esteban Ezekiel Fabian Fetu Finlay Florian Gideon Giancarlo Hamza Haruki Hollis Idris
    Ignatius Isandro Ivo Jabari Jasper Javaris Jorah Kahale Kamari Kaspar Keanu Kelechi Kofi Lamar
    Leandro Lucius Maceo Malachi Manaia Marquise Matteo Mekhi Milo Nahuel Nikolai Octavio Olumide
    Orlando Osei Pascal Percival Quade Quillon Rafferty Rashaun Ravi Remy Renzo Roscoe Rune Sefo
    Silas Soren Tavita Tadeo Terrell Thaddeus Tobias Tomasi Torin Tyrell Umberto Uriah Viliami
    Wendell Xavion Yannick Yusuf Zebulon Zoltan
    """.split()  # noqa: SIM905 - words are easier to read than a list of strings
)

SURNAMES = tuple(
    """
    Abernethy Achterberg Adeyinka Alderwick Amankwah Anzalone-Reyes Applegarth Arkwright Asante-Cole
    Ashgrove Babatunde-Lowe Bellweather Birtwistle Blackthorn Bonaventura Boakye-Stone Brackenbury
    Briarwood Brockhurst Calloway-Finch Caravello Castellanos-Webb Chidubem Cloverdale Coldbrook
    Cottonwood Covarrubias Crabtree-Moss Dallimore Delacroix-Hunt Demetriou Dewhirst Diallo-Grant
    Dragomir Drinkwater Dunstable Ebonhart Eketone Elderbrook Escarrega Fairweather-Kane Farrowdale
    Featherstone Fernsby Fifita-Marsh Flintham Foxworthy Galbraithe Garroway Gbadamosi Gladwyn
    Goldacre Greenhalgh Guerrouj Halvorsen-Pike Harrowgate Hathersage Hawksmoor Hearthstone
    Holloway-Tau Ibekwe-James Inglethorpe Ironmonger Iyasere Jagielka Jessamine Kalaniopuu
    Karlsen-Boyd Kettleburn Kilpatrick-Oduya Kingsnorth Kirkbride Kowalczyk-Dean Lachapelle Lanyon
    Larkspur Lealaiauloto Lightbourne Lindqvist Loxley Lumumba-West Madrigal Makinde-Rose Marchbanks
    Mbeki-Lane Merriweather-Osei Mickelthwaite Moncrieffe Montalvo-Price Mossgrove Mwangi-Frost
    Nakashima-Bell Netherby Nightingale Nkemelu Northcote Oakenshaw Obafemi-Clay Okonjo Oleander
    Oyelaran Papadakis-Ray Pemberwick Penhallow Pettigrove Pickersgill Quarshie Quillfeather
    Rademaker Ravenscroft Redfearn Rocastle Rosenthorn Rutherglen Saltmarsh Satterthwait Seabrooke
    Sefolosha-Marr Shackelton Silvestri-Boone Sopoaga-Hill Stavropoulos Stonebridge Swiftwater
    Tafuna-Wells Tanglewood Thistlewood Thornbury Tiquana Torquemann Trelawney Tuimavave Underhill
    Vandermolen Vasquez-Thorne Veracruz-Lee Wakefield-Ito Waverley Weatherby Whitlockson Wickersham
    Winterbourne Woolnough Wrenfield Yarborough-Diaz Yelverton Zambrano-Holt
    """.split()  # noqa: SIM905 - words are easier to read than a list of strings
)


def draw_names(rng: Random, count: int) -> list[str]:
    """Draw `count` different full names.

    There are at most as many as the least common multiple of the two lists' lengths. Any sixty in a
    row have different given names and different surnames.
    """
    given_names, surnames = (
        rng.sample(GIVEN_NAMES, len(GIVEN_NAMES)),
        rng.sample(SURNAMES, len(SURNAMES)),
    )
    pairs = zip(cycle(given_names), cycle(surnames), strict=False)
    return [f"{first} {last}" for first, last in islice(pairs, count)]
