"""The events that a game has accepted, their numbers and the corrections among them."""
