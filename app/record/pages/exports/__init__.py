"""Games as files: play-by-play and tables as CSV, everything as JSON, XML and the game book."""
