"""Processes and jobs: what runs beside the web server."""
