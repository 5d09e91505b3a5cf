"""What each reason means, for those who review a score. Plain values."""

from __future__ import annotations

WORDS = {
    "foreign_event": "The event is not the one of this player and attempt.",
    "nonce_reused": "The attempt was sent before with another score.",
    "from_the_future": "Its time is ahead of this server's clock.",
    "out_of_bounds": "The score is outside what the mode allows.",
    "above_cap": "The score is above the cap of its attempt.",
    "out_of_range": "The total would leave the range in which a board is exact.",
    "player_too_fast": "More scores of this player in a short time than a person plays.",
    "device_too_fast": "More scores from this device in a short time than people play.",
    "device_shared": "More than eight players on this device within an hour.",
    "address_too_fast": "More scores from this address in a short time than people play.",
    "impossible_travel": (
        "From another part of the world than the score before, sooner than anybody gets there."
    ),
    "outlier": "Far above all that this mode's players reach.",
    "replay_missing": "The recorded game was announced and never came.",
    "replay_differs": "The recorded game is another than the one announced.",
    "quarantined": "A moderator held it back.",
    "anomaly": "The anomaly model finds it unlike the others in several ways at once.",
}
