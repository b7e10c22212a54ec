"""The base classes of perturbations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar

from gpu_ls_plugin.backends import arrays, get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.tours.problem.rows_alone import as_rows, rows_alone
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.problem.tsp import TSP


class Perturbation(ABC):
    """A kick that leads a chain out of its local optimum.

    `perturb` kicks a whole batch. A kick that cuts a tour at four places and reconnects it like a
    double bridge can also draw the cuts in C++ (`cuts`): chains then kick, repair and accept in one
    kernel.

    Attributes
    ----------
    name : str
        Name in the registry.
    smallest : int
        Minimum number of cities of a tour that the kick supports.
    by_lengths : bool
        Whether the kick reads the problem's lengths or routes, not only the tours.
    header : str
        The C++ header that defines `cuts`, as a path within the package.
    relinks : bool
        Whether chains kick and repair linked lists of routes (`routes/engines/linked_chains.py`).
    bytes_per_city : int
        Additional bytes of device memory that the kick needs for each city of a chain's tour.
    """

    name: ClassVar[str]
    smallest: ClassVar[int] = 1
    by_lengths: ClassVar[bool] = True
    header: ClassVar[str] = "tours/kicks/bridge_cuts.cuh"
    relinks: ClassVar[bool] = False
    bytes_per_city: ClassVar[int] = 0

    def bytes_per_tour(self, problem: Problem) -> int:
        """Return the additional bytes of device memory for a chain; see `bytes_per_city`."""
        return self.bytes_per_city * problem.n

    @property
    def cuts(self) -> str:
        """C++ type that draws the cuts, or an empty string if the kick has none."""
        return ""

    def source(self) -> str:
        """Return the C++ code of the type `cuts`; an empty string if `header` defines it."""
        return ""

    def window(self, n: int) -> int:
        """Return the argument `window` of the `draw` function of `cuts`, for tours of n cities."""
        return n

    @abstractmethod
    def perturb(
        self,
        problem: Problem,
        tours: Any,
        *,
        seed: int | None = 0,
        backend: str = "auto",
        device: int | None = None,
        first_row: int = 0,
    ) -> Any:
        """Return kicked copies of tours; each row has its own random numbers.

        Parameters
        ----------
        problem : Problem
        tours : array, shape (P, n), int32
            A NumPy or CuPy array, not changed; the result is on the same device.
        seed : int or None
            Key of the random numbers. The same seed gives the same kicks on every backend; None
            draws a seed.
        backend, device
            See `get_backend`.
        first_row : int
            Number of the first row if the batch is part of a larger one: row r uses the random
            numbers of row `first_row` + r.

        Returns
        -------
        array, shape (P, n), int32
            The kicked tours: permutations.

        Raises
        ------
        UnsupportedProblemError
            The problem has fewer than `smallest` cities.
        """


class KernelPerturbation(Perturbation):
    """A perturbation that runs as a kernel; subclasses implement `kicked`."""

    @abstractmethod
    def kicked(self, backend: Backend, problem: TSP, tours: Any, numbers: dict[str, int]) -> Any:
        """Return kicked copies of checked tours; `numbers` are "seed" and "first_row"."""

    def problem_of(self, problem: Problem) -> TSP:
        """Return the TSP whose tours are kicked, or raise if the kick does not support it."""
        return tour_problem(problem) if self.by_lengths else rows_alone(problem)

    def perturb(
        self,
        problem: Problem,
        tours: Any,
        *,
        seed: int | None = 0,
        backend: str | Backend = "auto",
        device: int | None = None,
        first_row: int = 0,
    ) -> Any:
        """Return kicked copies of tours; see `Perturbation.perturb`.

        Raises
        ------
        UnsupportedProblemError
            The problem has too few cities for the kick, or lacks the routes that it needs.
        InvalidTourError, InvalidTypeError
            `tours` are not tours of the problem.
        """
        tsp = self.problem_of(problem)
        numbers = {"seed": checks.seed(seed), "first_row": checks.first_row(first_row)}
        chosen = get_backend(backend, device, tours=tours)
        with chosen.current():
            taken = arrays.take_tours(chosen, tsp, tours)
            kicked = self.kicked(chosen, tsp, taken, numbers)
            return arrays.give(chosen, as_rows(problem, chosen.xp, kicked), like=tours)


def as_perturbation(given: Any) -> Perturbation:
    """Return a perturbation unchanged, or wrap an object that has a method `perturb`.

    Raises
    ------
    InvalidTypeError
        `given` has no method `perturb`, or is a class.
    """
    if isinstance(given, Perturbation):
        return given
    if isinstance(given, type) or not callable(getattr(given, "perturb", None)):
        raise InvalidTypeError(
            f"perturbation: {given!r} is not a perturbation, such as DoubleBridge()"
        )
    return _Adapted(given)


@dataclass(frozen=True)
class _Adapted(Perturbation):
    """Wraps an object with a method `perturb`; it may lack the attributes of `Perturbation`."""

    given: Any

    name = "perturb"

    @property
    def smallest(self) -> int:  # type: ignore[override]
        """Minimum number of cities of a supported tour; 1 if unspecified."""
        return int(getattr(self.given, "smallest", 1))

    @property
    def by_lengths(self) -> bool:  # type: ignore[override]
        """Whether the kick reads lengths; True if unspecified."""
        return bool(getattr(self.given, "by_lengths", True))

    @property
    def cuts(self) -> str:
        return str(getattr(self.given, "cuts", ""))

    def window(self, n: int) -> int:
        return int(self.given.window(n))

    def perturb(
        self,
        problem: Problem,
        tours: Any,
        *,
        seed: int | None = 0,
        backend: str = "auto",
        device: int | None = None,
        first_row: int = 0,
    ) -> Any:
        """Call the wrapped object; pass `device` if it is given, and `first_row` if accepted."""
        options: dict[str, Any] = {"seed": seed, "backend": backend}
        if device is not None:
            options["device"] = device
        try:
            signature(self.given.perturb).bind(None, None, **options, first_row=first_row)
        except TypeError:  # the kicks then depend on a row's position in the batch
            return self.given.perturb(problem, tours, **options)
        return self.given.perturb(problem, tours, **options, first_row=first_row)
