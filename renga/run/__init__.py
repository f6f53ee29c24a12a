"""Training runs described by data."""
