"""A member's calendar: deadlines of their leagues and games of their players."""
