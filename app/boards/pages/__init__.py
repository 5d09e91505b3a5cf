"""The board explorer and the integrator's page of allowed origins."""
