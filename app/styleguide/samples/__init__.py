"""Made-up values that show the components of the pages in their states. Pure."""
