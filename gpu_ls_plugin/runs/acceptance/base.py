"""What every acceptance rule says of itself."""

from __future__ import annotations

from typing import Any, ClassVar


class Acceptance:
    """A rule that says whether a chain goes on from the tour that a kick and its repair led to.

    Attributes
    ----------
    name : str
        Name in the registry.
    functor : str
        C++ type, as `runs/acceptance/rules.cuh` describes it.
    header : str
        File that defines it, found like a kernel's header.
    never_worse : bool
        Whether no rise of the cost is ever taken.
    """

    name: ClassVar[str]
    functor: ClassVar[str]
    header: ClassVar[str] = "runs/acceptance/rules.cuh"
    never_worse: ClassVar[bool] = True

    def source(self) -> str:
        """Return the C++ text that defines the functor, empty where `header` does."""
        return ""

    def takes(self, rise: Any, level: Any, uniform: Any) -> Any:
        """Return what the functor does, elementwise, for searches that step from the host.

        Parameters
        ----------
        rise : array
            Of the costs.
        level : array
            The rule's parameter as lengths.
        uniform : array
            Random numbers in (0, 1].

        Returns
        -------
        boolean array
        """
        raise NotImplementedError(f"{self.name} works in fused searches only")

    def level(self, progress: float) -> float:
        """Return the rule's parameter, in mean edge lengths, after a share of the budget."""
        return 0.0
