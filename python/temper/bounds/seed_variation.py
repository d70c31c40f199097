"""A fixed seed, replaced by one that follows the seed of the run.

Two equal seeds stay equal, so that a test which draws the same numbers twice still does. Seeds that take effect while a
module is imported are fixed for all runs, since runs are forked afterwards.
"""

import hashlib


def seed(value):
    """Stands in for the seed `value`: another one of the same kind, the same for the same value and run."""
    if isinstance(value, (list, tuple)):
        return type(value)(seed(item) for item in value)
    number = _number(value)
    if isinstance(value, str):
        return str(number)
    if isinstance(value, bytes):
        return str(number).encode()
    return number


def _number(value):
    from temper.worker import seeds

    digest = hashlib.blake2b(f"{seeds._seed} {value!r}".encode(), digest_size=8).digest()
    # Below 2**31: the range that every library takes.
    return int.from_bytes(digest, "little") & 0x7FFFFFFF
