"""What every neighbourhood says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gpu_ls_plugin.exceptions import UnsupportedProblemError

if TYPE_CHECKING:
    from gpu_ls_plugin.problems.tsp import TSP


class Neighbourhood:
    """A set of moves from one tour to others.

    Attributes
    ----------
    name : str
        Name in the registry.
    reverses : bool
        Whether its moves reverse paths, so that lengths must be symmetric.
    """

    name: ClassVar[str]
    reverses: ClassVar[bool] = True

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError where the moves make no sense on the problem."""
        if self.reverses and not problem.symmetric:
            raise UnsupportedProblemError(
                f"problem: {self.name} reverses paths and needs symmetric distances; make the "
                "matrix symmetric, for example (D + D.T) / 2"
            )
