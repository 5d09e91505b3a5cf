"""HTTP in both directions: access, request checks, responses, errors, limits, outbound requests."""
