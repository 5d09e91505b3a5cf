"""The list of a season's players."""
