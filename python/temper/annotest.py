"""Importing this supplies the names of AnnoTest's package; emitted tests do so for code that is annotated with them."""

from temper.check import annotest_names

annotest_names.install()
