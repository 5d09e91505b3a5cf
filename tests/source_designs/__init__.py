"""Every line of the five source designs with the test that shows it, listed in docs/sources.md."""
