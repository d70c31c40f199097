"""Everything that users import from ``temper``: the one list of public names."""

from temper.annotations import (
    arg,
    args,
    cc_example,
    consume,
    ensure,
    exclude,
    generator,
    module_test,
    nested,
    raises,
    regression,
    require,
    timeout,
)
from temper.domains import kinds
from temper.domains.composed import Draw
from temper.domains.domain import Domain
from temper.domains.filled import filled
from temper.domains.kinds import *
from temper.model.testing import ModelReport, test_model
from temper.properties.decorate import exists, forall, not_exists
from temper.properties.goal import PropertyError, assume, maximize, minimize
from temper.properties.health import TemperWarning
from temper.properties.labels import classify, event
from temper.properties.machines import StateMachine, earlier, invariant, precondition, rule, test_machine
from temper.properties.profiles import profile
from temper.verification import difference, is_finite, time_limit, verify

__all__ = [
    "Domain",
    "Draw",
    "ModelReport",
    "PropertyError",
    "StateMachine",
    "TemperWarning",
    "arg",
    "args",
    "assume",
    "cc_example",
    "classify",
    "consume",
    "difference",
    "earlier",
    "ensure",
    "event",
    "exclude",
    "exists",
    "filled",
    "forall",
    "generator",
    "invariant",
    "is_finite",
    "maximize",
    "minimize",
    "module_test",
    "nested",
    "not_exists",
    "precondition",
    "profile",
    "raises",
    "regression",
    "require",
    "rule",
    "test_machine",
    "test_model",
    "time_limit",
    "timeout",
    "verify",
]
__all__ += kinds.__all__
