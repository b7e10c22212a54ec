"""Which worker an island is on."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Placement:
    """Islands on workers: each has one to itself, as long as there are enough."""

    patience: float  # seconds after which an island shares a worker
    workers: list[str] = field(default_factory=list)  # addresses, in the order in which they came
    homes: dict[int, str] = field(default_factory=dict)  # the worker of each island that has one

    def update(self, present: list[str]) -> list[int]:
        """Take note of the workers there are; return the islands that have lost theirs."""
        known = [worker for worker in self.workers if worker in present]
        self.workers = known + [worker for worker in present if worker not in known]
        lost = [island for island, home in self.homes.items() if home not in self.workers]
        for island in lost:
            del self.homes[island]
        return lost

    def drop(self, worker: str) -> list[int]:
        """Do without a worker; return the islands that were there."""
        return self.update([other for other in self.workers if other != worker])

    def place(self, island: int, waited: float) -> str | None:
        """Return where an island goes on: on a free worker rather than a shared one; or None."""
        home, taken = self.homes.get(island), list(self.homes.values())
        free = next((worker for worker in self.workers if worker not in taken), None)
        if home is None or (taken.count(home) > 1 and free is not None):
            home = free
        if home is None and waited >= self.patience and self.workers:
            home = min(self.workers, key=taken.count)
        if home is not None:
            self.homes[island] = home
        return home
