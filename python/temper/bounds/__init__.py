"""What edited test source calls while `temper bounds` samples it: operands, judgements, and the numbers they give.

Runs inside workers only. Standard library, plus whatever the user's project has loaded; nothing here imports a library
that the project has not. The edits are made by the crate `temper-bounds` (`probe.rs`).
"""

from temper.bounds.recording import again, judge, operand, soft
from temper.bounds.seed_variation import install, seed

__all__ = ["again", "install", "judge", "operand", "seed", "soft"]
