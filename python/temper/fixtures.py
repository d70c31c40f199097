"""Fixtures for pytest. In a conftest.py: ``pytest_plugins = ["temper.fixtures"]``."""

import pytest


@pytest.fixture
def temper_model():
    """`temper.test_model`, as a fixture: ``temper_model(model, X, y)`` fails when the model contradicts its data."""
    from temper.model.testing import test_model

    return test_model
