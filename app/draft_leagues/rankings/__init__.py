"""Rankings and projections of footballers, by the record, by a file, or by a member's own order."""
