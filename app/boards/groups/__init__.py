"""Rankings of a few: guilds that a game declares, friends, and any list of players."""
