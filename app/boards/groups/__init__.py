"""Rankings of groups: guilds that a game declares, friends, and any list of players."""
