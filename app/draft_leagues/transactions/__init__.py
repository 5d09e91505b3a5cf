"""The only place that writes the log of transactions."""
