"""The pages of the fantasy game: requests, forms, and what the templates show."""
