"""Made-up traffic that measures rules: nothing that runs with the site."""
