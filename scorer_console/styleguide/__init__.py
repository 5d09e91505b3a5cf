"""The style guide of the scorer's console: every component in every state, of a made-up game."""
