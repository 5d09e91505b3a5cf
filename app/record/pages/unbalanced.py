"""What does not add up in a game, for its page.

Staff alone see it; the rules are in rules/proof.py.
"""

from __future__ import annotations

from app.record.asof import valid_events
from app.record.pages.reading import Reading
from app.record.rules.football.rulebook import rulebook_of
from app.record.rules.proof import proof, proof_of_lines
from app.record.rules.proof_plays import Finding


def unbalanced(reading: Reading) -> list[Finding]:
    """The findings in the order of the game; of the game as a whole last.

    Of a cancelled game no line counts.
    """
    game, standing = reading.game, valid_events(reading.events)
    book, is_playoff = rulebook_of(game), game.season_type == "POST"
    found = proof(standing, home=game.home.id, away=game.away.id, book=book, is_playoff=is_playoff)
    if game.status == "cancelled":
        return found
    return found + proof_of_lines(standing, reading.lines, reading.names)
