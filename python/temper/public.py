"""Everything that users import from ``temper``: the one list of public names."""

from temper.annotations import (
    arg,
    args,
    batchwise,
    cc_example,
    consume,
    ensure,
    equivariant,
    exclude,
    generator,
    holds,
    module_test,
    nested,
    order_free,
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
from temper.verification import difference, is_finite, obeys, time_limit, verify

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
    "batchwise",
    "cc_example",
    "classify",
    "consume",
    "difference",
    "earlier",
    "ensure",
    "equivariant",
    "event",
    "exclude",
    "exists",
    "filled",
    "forall",
    "generator",
    "holds",
    "invariant",
    "is_finite",
    "maximize",
    "minimize",
    "module_test",
    "nested",
    "not_exists",
    "obeys",
    "order_free",
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
