"""Tests written for Chainer draw from NumPy's global generator, as Chainer does: what is global is theirs to change."""

import pytest


@pytest.fixture(autouse=True)
def global_state_stays():
    """Instead of the fixture of this name for Renga's own tests."""
