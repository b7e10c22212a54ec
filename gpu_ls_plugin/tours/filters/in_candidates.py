"""The filter by candidate lists."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.structs import in_order
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.tours.candidates.base import check_sets
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.filters.base import Filter

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.candidates.base import Candidates
    from gpu_ls_plugin.tours.filters.base import Setting


@dataclass(frozen=True)
class InCandidates(Filter):
    """Keep moves whose new edges lead from a city to one of its candidates.

    Either end of an edge may be the other's candidate.

    Parameters
    ----------
    candidates : Candidates or str
        The lists, or the registered name of such a set.
    missing : int
        New edges, 0 or 1, that need not lead to candidates. With 1, the default, the moves are
        those of a search on candidate lists, whose last edge closes the tour as it may.

    Raises
    ------
    InvalidParameterError, InvalidTypeError, UnknownPartError
        `candidates` is not such a set, or its name is unknown; `missing` is out of range.
    """

    candidates: Any = field(default_factory=Nearest)
    missing: int = 1

    name = "in_candidates"
    header = "tours/filters/in_candidates.cuh"
    opens = True

    def __post_init__(self) -> None:
        if isinstance(self.candidates, str):
            made = registry.lookup("candidates", self.candidates)()
            object.__setattr__(self, "candidates", made)
        check_sets(self, "candidates")
        checks.fields(self, checks.integer, "missing", least=0, most=1)

    def functor(self) -> str:
        """Return the C++ type of the test."""
        return f"gls::InCandidates<{self.missing}>"

    def rotations(self, edges: int) -> int:
        """Return one more than may be missing: of so many new edges one leads to a candidate."""
        return self.missing + 1 if edges > 2 else 1

    @property
    def candidate_sets(self) -> tuple[Candidates]:
        """The lists."""
        return (self.candidates,)

    def words(self, setting: Setting) -> list[Any]:
        """Return the lists, how far each reaches, and their length."""
        cities, _, degree = self.candidates.on(setting.backend, setting.problem)
        reach = self.candidates.of(setting.problem).lengths.max(axis=1).astype("float64")
        data = {
            "cities": cities,
            "reach": setting.backend.xp.asarray(reach),
            "degree": degree,
        }
        return in_order(InCandidates.header, "CandidateEdgeData", data)
