"""What each reason means, for those who review a score. Plain values."""

from __future__ import annotations

WORDS = {
    "foreign_event": "The event ID does not match this player and attempt.",
    "nonce_reused": "The attempt was already sent with a different score.",
    "from_the_future": "Its time is in the future.",
    "out_of_bounds": "The score is outside the mode's allowed range.",
    "above_cap": "The score is above the cap of its attempt.",
    "out_of_range": "The total would be too large for boards to keep exactly.",
    "player_too_fast": "More scores from this player in a short time than a person can play.",
    "device_too_fast": "More scores from this device in a short time than people can play.",
    "device_shared": "More than eight players on this device within an hour.",
    "address_too_fast": "More scores from this address in a short time than people can play.",
    "impossible_travel": (
        "Sent from another part of the world sooner than anyone could travel there."
    ),
    "outlier": "Far above what players reach in this mode.",
    "replay_missing": "The recorded game was announced but never arrived.",
    "replay_differs": "The recorded game is not the one announced.",
    "quarantined": "A moderator held it.",
    "anomaly": "The anomaly model finds it unusual in several ways at once.",
}
