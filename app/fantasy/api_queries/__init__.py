"""What the API asks of the fantasy game: five reads, one statement each."""
