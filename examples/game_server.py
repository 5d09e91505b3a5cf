"""An example game server: rounds of guess-the-number with boards on Pressbox.

It makes its game and mode, registers two players, plays a round for each, sends the scores with the
players' own tokens, and prints the board. In a real game the player's device holds the token and
sends the score itself.

    PRESSBOX_KEY=pbk_... python examples/game_server.py http://127.0.0.1:8000
"""

from __future__ import annotations

import os
import random
import sys
from http import HTTPStatus
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients" / "python"))

from pressbox_client import ApiError, Client

GAME, MODE = "guess-the-number", "up-to-100"
MOST_GUESSES = 10


def prepare(server: Client) -> None:
    """Makes game and mode; a second start finds them there."""
    try:
        server.create_game(slug=GAME, title="Guess the number")
    except ApiError as error:
        if error.status != HTTPStatus.CONFLICT:
            raise
    try:
        server.create_mode(
            GAME,
            slug=MODE,
            title="Up to 100",
            windows=["daily", "all-time"],
            max_score=MOST_GUESSES,
        )
    except ApiError as error:
        if error.status != HTTPStatus.CONFLICT:
            raise


def play(dice: random.Random) -> int:
    """A round: halving with some luck.

    The points are the guesses that were left over, 0 to MOST_GUESSES.
    """
    number, low, high = dice.randint(1, 100), 1, 100
    for used in range(1, MOST_GUESSES + 1):
        guess = dice.randint(low + (high - low) // 4, high - (high - low) // 4)
        if guess == number:
            return MOST_GUESSES - used + 1
        low, high = (guess + 1, high) if guess < number else (low, guess - 1)
    return 0


def main(url: str, key: str) -> None:
    """Play a round for each of two players and print the board."""
    server = Client(url, key=key)
    prepare(server)
    dice = random.Random()  # noqa: S311  (a game)
    for external_id, name in (("p-1", "Nova"), ("p-2", "vex")):
        player = server.register_player(GAME, external_id=external_id, display_name=name)
        attempt = server.issue_attempt(GAME, MODE, player_id=player["player_id"])
        token = server.create_token(player_id=player["player_id"])["access_token"]
        result = Client(url, token=token).submit_score(
            GAME,
            MODE,
            attempt_id=attempt["attempt_id"],
            attempt_token=attempt["attempt_token"],
            raw_score=play(dice),
            client_meta={"build": "1.0.0"},
            wait="committed",
        )
        print(
            f"{name}: {result['status']}, rank "
            f"{result.get('rank') or result.get('provisional_rank')}"
        )
    for row in server.get_leaderboard(GAME, MODE, "all-time", limit=10)["entries"]:
        print(f"{row['rank']:>3}  {row['display_name']:<20} {row['score']}")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if len(arguments) != 1 or "PRESSBOX_KEY" not in os.environ:
        sys.exit(
            "Say where Pressbox is and give a key: PRESSBOX_KEY=pbk_... game_server.py "
            "http://127.0.0.1:8000"
        )
    main(arguments[0], os.environ["PRESSBOX_KEY"])
