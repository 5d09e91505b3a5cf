"""Operators' decisions about matches: void, new kickoff, merge."""
