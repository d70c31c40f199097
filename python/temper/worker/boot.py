"""Entry of every fresh worker interpreter: `python -c STUB boot.py FOLDER ROLE SCRATCH`, control socket on descriptor 0.

`temper` is found in FOLDER by a finder for that one name, so a worker runs in any interpreter, with or without Temper
installed there, and sees nothing else that happens to lie next to our package.
"""

import importlib.machinery
import os
import signal
import sys
import types


class TemperFinder:
    """Finds `temper` and its submodules in one folder, and no other module."""

    def __init__(self, folder):
        self.folder = folder

    def find_spec(self, name, path=None, target=None):
        if name == "temper":
            return importlib.machinery.PathFinder.find_spec(name, [self.folder])
        return None


def reset_signals():
    """Gives signals the meaning they have in a shell: a driver started in the background passes on that it ignores some."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in (signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(name, signal.SIG_DFL)


def main(folder, role, place):
    """Turns this interpreter into a guard with a base layer below it, or into a layer to be loaded once."""
    # The stub runs as `-c`, which put the current directory first on the path: user code decides that, not we.
    sys.path[:] = [entry for entry in sys.path if entry]
    sys.argv[:] = ["pytest"]
    reset_signals()
    sys.meta_path.insert(0, TemperFinder(folder))
    # Stands in for the package while our own modules are imported: `temper/__init__.py` is for user code, may need an
    # engine that was not built for this interpreter, and runs only when user code asks for it.
    sys.modules["temper"] = types.ModuleType("temper")
    sys.modules["temper"].__path__ = [os.path.join(folder, "temper")]
    from temper.worker import channel, guard, layer, scratch

    del sys.modules["temper"]
    socket = channel.adopt_stdin()
    scratch.enter(place)
    if role == "guard":
        guard.stand(socket, place)
    layer.Layer(channel.Channel(socket)).start()


if __name__ == "__temper_boot__":
    main(*sys.argv[2:5])
    os._exit(0)
