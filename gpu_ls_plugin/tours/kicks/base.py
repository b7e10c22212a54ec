"""What every perturbation says of itself, and how kicks that rebuild tours enter kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar

from gpu_ls_plugin.core.exceptions import InvalidTypeError

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Parameter
    from gpu_ls_plugin.core.problem import Problem


class Perturbation(ABC):
    """A kick that leads a chain out of its local optimum.

    Any kick is made by `perturb`, for a whole batch at a time. One that only cuts a tour at four
    places, to reconnect it as a double bridge does, may say how it draws them in C++ (`cuts`), and
    one that rebuilds giant tours how it does that (`rebuilding`): then chains kick, repair and
    accept in one kernel.

    Attributes
    ----------
    name : str
        Name in the registry.
    smallest : int
        Cities of the smallest tour that it can kick.
    by_lengths : bool
        Whether it looks at the problem's lengths or routes, not at the tours alone.
    header : str
        File that defines `cuts`, found like a kernel's header.
    rebuilds : bool
        Whether there is a `rebuilding`.
    relinks : bool
        Whether chains make it, and repair what it does, on linked lists of routes
        (`routes/engines/linked_chains.py`).
    bytes_per_city : int
        Device memory that chains need for it, beside that of all chains, for each city of a tour.
    """

    name: ClassVar[str]
    smallest: ClassVar[int] = 1
    by_lengths: ClassVar[bool] = True
    header: ClassVar[str] = "tours/kicks/bridge_cuts.cuh"
    rebuilds: ClassVar[bool] = False
    relinks: ClassVar[bool] = False
    bytes_per_city: ClassVar[int] = 0

    @property
    def cuts(self) -> str:
        """C++ type that draws the cuts, as `header` describes it; empty where there is none."""
        return ""

    def source(self) -> str:
        """Return the C++ text that defines `cuts`, empty where `header` does."""
        return ""

    def window(self, n: int) -> int:
        """Return the argument of `cuts` for tours of n cities."""
        return n

    def rebuilding(self, backend: Backend, problem: Problem, size: int) -> Rebuilding:
        """Return the kick in C++ of a batch of so many giant tours, where `rebuilds`."""
        raise NotImplementedError

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
        """Return kicked copies of tours, each by the random numbers of its row alone.

        Parameters
        ----------
        problem : Problem
        tours : array, shape (P, n), int32
            Not changed. NumPy, or CuPy with the result on the same device.
        seed : int or None
            Key of the random numbers. The same seed gives the same kicks, on every backend; None
            draws one.
        backend, device
            Where the kicks are made; see `get_backend`.
        first_row : int
            Number of the first row, where the batch is a part of a larger one: row r has the random
            numbers of row `first_row` + r.

        Returns
        -------
        array, shape (P, n), int32
            Permutations.

        Raises
        ------
        UnsupportedProblemError
            The problem has fewer than `smallest` cities.
        """


def as_perturbation(given: Any) -> Perturbation:
    """Return a perturbation as it is; anything else that can `perturb` is made one.

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
    """An object with a method `perturb` alone, and whatever else of the contract it has."""

    given: Any

    name = "perturb"

    @property
    def smallest(self) -> int:  # type: ignore[override]
        """Cities of the smallest tour, as far as it says."""
        return int(getattr(self.given, "smallest", 1))

    @property
    def by_lengths(self) -> bool:  # type: ignore[override]
        """Whether it looks at lengths, unless it says that it does not."""
        return bool(getattr(self.given, "by_lengths", True))

    @property
    def cuts(self) -> str:
        """C++ type that draws the cuts, if it has one."""
        return str(getattr(self.given, "cuts", ""))

    def window(self, n: int) -> int:
        """Return the argument of `cuts`."""
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
        """Kick by what was given; `device` and `first_row` only reach what knows them."""
        options: dict[str, Any] = {"seed": seed, "backend": backend}
        if device is not None:
            options["device"] = device
        try:
            signature(self.given.perturb).bind(None, None, **options, first_row=first_row)
        except TypeError:  # then kicks depend on where in the batch a row stands
            return self.given.perturb(problem, tours, **options)
        return self.given.perturb(problem, tours, **options, first_row=first_row)


@dataclass(frozen=True)
class Rebuilding:
    """A kick in C++, for one problem and batch.

    Its functor's ``kick(team, item, n, tour, data..., random, kicked)`` writes the kicked copy of a
    row, or returns false where there is none; all lanes call it.
    """

    functor: str  # C++ type, ``{team}`` in it the team
    header: str  # which defines it
    parameters: tuple[Parameter, ...]  # types and names of the data
    arguments: dict[str, Any]  # the data by name
    kept: object = None  # what has to stay as long as the data are used
    parts: tuple[str, ...] = ()  # names of the registered parts that it is made of
