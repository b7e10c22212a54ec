"""Objectives of sequences: what an author writes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


class SequenceObjective(ABC):
    """An objective of sequences, which are permutations read from the first item to the last.

    `evaluate` alone makes an objective of level "python". With `functor`, `source` and `data`, the
    objective is compiled into the kernels of searches; the members of the C++ struct decide the
    level (`sequences/problem/objective.cuh`).

    Attributes
    ----------
    name : str
        For listings and messages.
    integer : bool
        Whether costs are integers.
    price : float
        Cost of a unit of violation in searches, if `evaluate` returns violations. An integer if
        costs are integers.
    library : {"numpy", "cupy", "torch"}
        Library of the rows that `evaluate` takes. CuPy arrays are on the current GPU;
        torch tensors are on the host, so move them to your device. Costs may be arrays of any
        library and device.
    looks_ahead : bool
        Whether GPU kernels look at several items of a sequence at the same time. True is faster for
        objectives with machines at level "suffix" (`sequences/problem/machines.cuh`).
    """

    name: ClassVar[str] = "objective"
    integer: bool = True
    price: float = 1.0
    library: ClassVar[str] = "numpy"
    looks_ahead: ClassVar[bool] = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    @abstractmethod
    def evaluate(self, rows: NDArray[Any], /) -> Any:
        """Return the cost of each sequence, computed from scratch.

        Parameters
        ----------
        rows : int32 array, shape (P, n)
            Permutations of 0..n-1; not to be changed.

        Returns
        -------
        array, shape (P,)
            Or a pair of such arrays: costs, and by how much each sequence breaks constraints (not
            negative).
        """

    def functor(self) -> str:
        """Return the name of the C++ struct; empty at level "python"."""
        return ""

    def source(self) -> str:
        """Return the C++ text that defines the struct; empty if `header` does."""
        return ""

    @property
    def header(self) -> str:
        """Path, within this package, of the file that defines the struct; empty for plugins."""
        return ""

    def data(self) -> Mapping[str, Any]:
        """Return the values of the struct's fields by name.

        An array becomes a pointer to items of its type: ``const int*`` for int32,
        ``const gls::int64*`` for int64, ``const double*`` for float64. A Python integer sets a
        field of type ``int`` or ``gls::int64``, a float one of type ``double``.
        """
        return {}

    def priorities(self) -> NDArray[Any] | None:
        """Return the priority of each item, shape (n,), or None if there are no priorities.

        Constructions insert items of high priority first.
        """
        return None
