"""The jobs: thin shells over services, which can run twice."""
