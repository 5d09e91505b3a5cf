"""The editor of a team sheet."""
