"""A score on its way in: attempt tokens, checks, sending to Kafka, waiting for the outcome."""
