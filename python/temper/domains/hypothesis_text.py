"""Domains as strategies of Hypothesis, in source text."""

from __future__ import annotations

from typing import Any

from temper.domains.annotated import AnnotatedFunction
from temper.domains.arguments import domains_of
from temper.domains.domain import Domain, NoForm
from temper.domains.source_text import text_of


class HypothesisWriter:
    """Writes strategies, and notes the imports that they need."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.needed: list[str] = []

    def strategy(self, domain: Any) -> str:
        """The strategy of a domain; a plain value stands for itself."""
        return domain.as_hypothesis(self) if isinstance(domain, Domain) else f"st.just({text_of(domain)})"

    def builds(self, generator: Any) -> str:
        """The strategy of what a generator function of the module returns."""
        name = getattr(generator, "__qualname__", "")
        if vars(self.module).get(name) is not generator or isinstance(generator, type):
            raise NoForm
        function = AnnotatedFunction(name, generator, generator, "function")
        if function.record.preconditions:
            raise NoForm
        parts = [f"{each}={self.strategy(inner)}" for each, inner in domains_of(function).items()]
        return f"st.builds({', '.join([name, *parts])})"

    def need(self, line: str) -> None:
        """Notes an import."""
        if line not in self.needed:
            self.needed.append(line)

    def need_numpy(self) -> None:
        """Notes the import of Hypothesis for numpy."""
        self.need("from hypothesis.extra import numpy as hnp")
