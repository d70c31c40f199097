"""The Python half of `temper model`: loading, training and asking models; `test_model` for use in tests."""
