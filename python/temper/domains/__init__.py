"""The language of values: which values an argument may take, and how they are drawn, written and described."""
