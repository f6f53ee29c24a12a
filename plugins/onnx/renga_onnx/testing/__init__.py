"""Helpers for tests of exported networks."""
