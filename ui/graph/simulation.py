"""Playing a task round by round, as an agent would: what may run next, and what that leaves."""

from dataclasses import dataclass, replace

from scoring.lattice import lattice_of, mask_of
from scoring.model.graph import StepGraph
from scoring.orders import is_legal_round, optimal_rounds, ready_steps, remaining_orders


@dataclass(frozen=True)
class Simulation:
    """A game in progress: rounds played so far, and the steps chosen for the next one."""

    graph: StepGraph
    rounds: tuple[tuple[int, ...], ...] = ()
    chosen: frozenset[int] = frozenset()

    @property
    def done(self) -> frozenset[int]:
        """Steps that have run."""
        return frozenset(step for played in self.rounds for step in played)

    @property
    def ready(self) -> tuple[int, ...]:
        """Steps that may run next."""
        return ready_steps(self.graph, self.done)

    @property
    def is_over(self) -> bool:
        """Whether every step has run."""
        return len(self.done) == len(self.graph)

    @property
    def remaining(self) -> int | None:
        """Legal ways to go on; null where counting them takes too long."""
        return remaining_orders(self.graph, self.done)

    @property
    def fewest_total(self) -> int:
        """Rounds of the shortest execution that starts as played."""
        lattice = lattice_of(self.graph)
        return len(self.rounds) + optimal_rounds(lattice, mask_of(self.done, len(self.graph)))

    @property
    def is_optimal(self) -> bool:
        """Whether the shortest execution is still within reach."""
        return self.fewest_total == optimal_rounds(lattice_of(self.graph))

    def waits_for(self, step: int) -> tuple[int, ...]:
        """Steps that must run before a step may."""
        return tuple(sorted(self.graph.before[step] - self.done))

    def toggle(self, step: int) -> "Simulation":
        """Choose a ready step for the next round, or take it back; one that runs alone replaces the others.

        Raises:
            ValueError: The step is not ready.
        """
        if step not in self.ready:
            raise ValueError(f"step {step} is not ready")
        if step in self.chosen:
            return replace(self, chosen=self.chosen - {step})
        together = self.chosen | {step}
        is_legal = is_legal_round(self.graph, self.done, together)
        return replace(self, chosen=together if is_legal else frozenset({step}))

    def play(self) -> "Simulation":
        """Run the chosen steps as one round; nothing happens where none is chosen."""
        if not self.chosen:
            return self
        return replace(self, rounds=(*self.rounds, tuple(sorted(self.chosen))), chosen=frozenset())

    def playing(self, steps: tuple[int, ...]) -> "Simulation":
        """The game after some ready steps have run as the next round."""
        return replace(self, chosen=frozenset(steps)).play()

    def back(self) -> "Simulation":
        """Take the last round back, its steps chosen again."""
        if not self.rounds:
            return replace(self, chosen=frozenset())
        return replace(self, rounds=self.rounds[:-1], chosen=frozenset(self.rounds[-1]))
