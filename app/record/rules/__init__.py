"""The rules of the record: pure functions from valid events to statistics, scores and findings."""
