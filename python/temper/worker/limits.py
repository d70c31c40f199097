"""Resource limits of one process: processor time, address space, size of a file.

The driver watches the wall clock; these are the limits that the kernel enforces by itself.
"""

import math
import resource
import signal

_PAGE = resource.getpagesize()


def _address_space():
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[0]) * _PAGE


def _lower(kind, soft, hard):
    """Never above the hard limit that the process already has."""
    _, ceiling = resource.getrlimit(kind)
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), ceiling if hard == resource.RLIM_INFINITY else min(hard, ceiling)
    resource.setrlimit(kind, (soft, hard))


def apply(limits, final):
    """Puts `limits` in force. `final` ones cannot be raised again by the process; others end with `lift`."""
    unlimited = resource.RLIM_INFINITY
    _lower(resource.RLIMIT_CORE, 0, 0 if final else unlimited)
    cpu = math.ceil(limits["cpu_secs"]) + _cpu_used()
    # A second after SIGXCPU, which a program may catch, comes SIGKILL, which it may not.
    _lower(resource.RLIMIT_CPU, cpu, cpu + 1 if final else unlimited)
    if final and limits["cpu_secs"] != int(limits["cpu_secs"]):
        # The kernel's limit has whole seconds; this timer ends the process by its default action.
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, limits["cpu_secs"])
    size = limits["file_bytes"]
    _lower(resource.RLIMIT_FSIZE, size, size if final else unlimited)
    # On top of what the layers already hold: those pages are shared, and a subject is charged for its own.
    memory = _address_space() + limits["memory_bytes"]
    _lower(resource.RLIMIT_AS, memory, memory if final else unlimited)


def _cpu_used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return int(usage.ru_utime + usage.ru_stime + 0.5)


def lift():
    """Takes back limits that were not final."""
    for kind in (resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_AS):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (hard, hard))
