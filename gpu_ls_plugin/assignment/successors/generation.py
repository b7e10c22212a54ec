"""Successor generation for assignment problems (Köster, Groß and Krüger: FANG)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from gpu_ls_plugin.assignment.heuristics.base import Heuristic
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.assignment.successors import layouts
from gpu_ls_plugin.assignment.successors.arguments import (
    distinct_rows,
    take_active,
    take_keys,
    take_states,
)
from gpu_ls_plugin.assignment.successors.samplers import (
    DRAWN,
    MOST_STORED,
    ORDERS,
    SAMPLERS,
    known_sampler,
)
from gpu_ls_plugin.backends import arrays, get_backend
from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.structs import kept_words, packed_words, struct_of
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.core.origins import sources_of
from gpu_ls_plugin.core.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend

SUCCESSORS = struct_of("assignment/successors/generate.cuh", "Successors")
# Defaults of kernel arguments that only some calls set.
UNUSED: dict[str, Any] = {
    **dict.fromkeys(("seed", "first_row", "active_stride"), 0),
    **dict.fromkeys(("active", "draws", "listed")),
    "count": 1,
}


class _Launch(NamedTuple):
    """A kernel, and the memory that it needs in bytes."""

    kernel: Kernel
    scratch: layouts.Scratch  # scratch memory of each item
    shared_bytes: int = 0  # shared memory of each block in bytes
    lanes: int = 1  # number of successors that an item generates


@dataclass(frozen=True)
class SuccessorGeneration:
    """Generate successors of states: active variables are reassigned by weighted random choice.

    Each state is cloned `count` times. The active variables of a clone are released, and then
    assigned one after the other: the heuristic weighs all values of the variable in the current
    state, and one is chosen with a probability proportional to its weight. A variable whose
    values all have weight 0 gets no value (Köster, Groß and Krüger: FANG).

    Successors depend only on their state, its number, `seed` and the heuristic, and not on the
    sampler, backend, batch or number of threads. The first successors of a state are the same for
    every `count`.

    Parameters
    ----------
    heuristic : Heuristic
    sampler : {"auto", "stored", "rescan"}
        "stored" keeps the ratings of a variable's values in memory, and "rescan" rates values
        again. Both choose the same values. "auto" is "stored" if a variable's ratings take at most
        48 KiB, otherwise "rescan".

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or of another type.
    """

    heuristic: Heuristic
    sampler: str = "auto"
    _words: WeakKeyDictionary[Backend, tuple[Any, Any, Any]] = field(
        default_factory=WeakKeyDictionary, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        checks.instance("heuristic", self.heuristic, kind=Heuristic, wanted="Heuristic")
        checks.fields(self, known_sampler, "sampler")

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the arrays of this process out of copies."""
        return type(self), (self.heuristic, self.sampler)

    def __call__(
        self,
        problem: Problem | None,
        states: Any,
        *,
        count: int = 1,
        active: Any = None,
        order: str = "given",
        distinct: bool = False,
        seed: int | None = 0,
        backend: str | Backend = "auto",
        device: int | None = None,
        memory_limit: int | None = None,
        first_row: int = 0,
    ) -> Any:
        """Return successors of each state.

        Parameters
        ----------
        problem : Problem or None
            An `Assignment` gives each variable's number of values; without one, the heuristic does.
        states : array, shape (P, m), integer
            Values, or -1 for none; not changed. NumPy or CuPy array; with CuPy, the result is on
            the same device.
        count : int
            Number of successors of each state. They follow each other in the result.
        active : bool array, shape (m,) or (P, m), optional
            Which variables are reassigned; by default, all of them. The others keep their values.
        order : {"given", "shuffled"}
            Whether variables are assigned in order of number, or in a random order for each
            successor.
        distinct : bool
            Leave out copies of earlier successors.
        seed : int or None
            Pass a different seed in each call, or None to draw one.
        backend, device
            See `get_backend`.
        memory_limit : int, optional
            How many bytes may be used in addition to states and successors; by default, all that
            are available. The limit does not change the result.
        first_row : int
            Number of the first state if the batch is part of a larger one.

        Returns
        -------
        array, shape (P * count, m), int32
            Fewer rows if `distinct`.

        Raises
        ------
        UnsupportedProblemError
            The heuristic does not fit the problem.
        InvalidTourError, InvalidTypeError, InvalidParameterError
            The states, the mask or another parameter is invalid.
        InsufficientMemoryError
            Not even one successor fits into memory.
        """
        if problem is not None:
            checks.instance("problem", problem, kind=Problem, wanted="Problem")
        count = checks.integer("count", count, least=1, most=checks.MOST_INT)
        order = checks.choice("order", order, known=DRAWN)
        key, number = checks.seed(seed), checks.first_row(first_row)
        sizes = self._sizes(problem)
        chosen = get_backend(backend, device, tours=states)
        with chosen.current():
            sources = take_states(chosen, sizes, states)
            mask, stride = take_active(chosen, sources, active)
            found = chosen.xp.empty((len(sources) * count, len(sizes)), "int32")
            given = {
                "seed": key,
                "first_row": number,
                "count": count,
                "sources": sources,
                "active": mask,
                "active_stride": stride,
                "states": found,
            }
            self._generate(chosen, problem, sizes, order, given, chosen.memory(memory_limit))
            if distinct:
                found = distinct_rows(chosen, found)
            return arrays.give(chosen, found, like=states)

    def decode(
        self,
        problem: Problem | None,
        keys: Any,
        *,
        backend: str | Backend = "auto",
        device: int | None = None,
        memory_limit: int | None = None,
    ) -> Any:
        """Return the states that random keys encode: keys replace the random numbers of a call.

        Each state is a successor of the empty one. A key chooses a value of its variable through
        the inverse of the weights' distribution function: the first value at which the sum of
        weights exceeds the key times their total. Uniform keys encode states like those that a call
        generates, and similar keys mostly encode similar states (Bean 1994).

        Parameters
        ----------
        problem : Problem or None
            As in a call.
        keys : float array, shape (P, m) or (P, 2 m), from 0 to 1
            A key for the value of each variable. A second half orders the variables, the lowest
            key first; without it, variables are assigned in order of number. NumPy or CuPy
            array; with CuPy, the result is on the same device.
        backend, device, memory_limit
            As in a call.

        Returns
        -------
        array, shape (P, m), int32

        Raises
        ------
        UnsupportedProblemError
            The heuristic does not fit the problem.
        InvalidParameterError, InvalidTypeError
            The keys or another parameter is invalid; the message names the row of a wrong key.
        """
        if problem is not None:
            checks.instance("problem", problem, kind=Problem, wanted="Problem")
        sizes = self._sizes(problem)
        chosen = get_backend(backend, device, tours=keys)
        with chosen.current():
            draws, listed = take_keys(chosen, len(sizes), keys)
            found = chosen.xp.empty(draws.shape, "int32")
            sources = chosen.xp.full(draws.shape, -1, "int32")
            given = {"sources": sources, "draws": draws, "listed": listed, "states": found}
            self._generate(chosen, problem, sizes, "keys", given, chosen.memory(memory_limit))
            return arrays.give(chosen, found, like=keys)

    def kernel(
        self,
        order: str,
        team: str,
        memory: str = layouts.MEMORIES[0],
        problem: Problem | None = None,
    ) -> Kernel:
        """Compose the kernel that generates one successor per team.

        `memory` is the C++ type of the memory that holds stored ratings.
        """
        part, name = self.heuristic.on(problem), self._sampler(problem)
        functor = part.functor()
        size = (
            f"static_assert(sizeof({functor}::Rating) == {part.rating_bytes}, "
            '"rating_bytes must be the size of Rating");'
        )
        parts = (functor, SAMPLERS[name], ORDERS[order].functor, memory)
        headers = [header for own in part.parts for header in own.headers]
        return Kernel(
            name="generate_successors",
            header="assignment/successors/generate.cuh",
            body=f"gls::GenerateSuccessors<{', '.join(parts)}>",
            parameters=(SUCCESSORS, *parse_parameters("const gls::uint64* heuristic_words")),
            team=team,
            functors=(*sources_of(*part.parts), size),
            parts=(*dict.fromkeys(own.name for own in part.parts), name),
            headers=("assignment/heuristics/heuristic.cuh", *headers),
        )

    def side_by_side(self, problem: Problem | None = None) -> Kernel:
        """Compose the kernel in which a CPU thread generates several successors side by side."""
        part = self.heuristic.on(problem)
        return replace(
            self.kernel("given", "gls::Host", problem=problem),
            name="generate_side_by_side",
            header="assignment/successors/side_by_side.cuh",
            body=f"gls::GenerateSideBySide<{part.functor()}>",
            parameters=(
                SUCCESSORS,
                *parse_parameters("const gls::uint64* heuristic_words, gls::int64 end"),
            ),
        )

    def _sampler(self, problem: Problem | None) -> str:
        """Return the name of the sampler that is used."""
        if self.sampler != "auto":
            return self.sampler
        fits = self._rating_bytes(problem) <= MOST_STORED
        return "stored" if fits else "rescan"

    def _rating_bytes(self, problem: Problem | None) -> int:
        """Return the maximum number of bytes that the ratings of a variable take."""
        part = self.heuristic.on(problem)
        return int(np.max(part.sizes(problem))) * part.rating_bytes

    def _sizes(self, problem: Problem | None) -> NDArray[Any]:
        """Return how many values each variable may have."""
        sizes = np.asarray(self.heuristic.on(problem).sizes(problem))
        if problem is not None and len(sizes) != problem.n:
            raise UnsupportedProblemError(
                f"heuristic: {self.heuristic.name!r} has {len(sizes)} variables, but the problem "
                f"has {problem.n}"
            )
        if isinstance(problem, Assignment) and (over := sizes > problem.sizes).any():
            variable = int(over.argmax())
            raise UnsupportedProblemError(
                f"heuristic: {self.heuristic.name!r} has {sizes[variable]} values for variable "
                f"{variable}, but the problem has {problem.sizes[variable]}"
            )
        return sizes

    def _generate(
        self,
        backend: Backend,
        problem: Problem | None,
        sizes: NDArray[Any],
        order: str,
        given: dict[str, Any],
        memory: int,
    ) -> None:
        """Write successors to `given["states"]`, in as many launches as the memory requires."""
        launch = self._launch(backend, problem, sizes, order, given, memory)
        scratch, total = launch.scratch, len(given["states"])
        items = -(-total // launch.lanes)
        fitting = backend.rows_that_fit(max(1, scratch.size), 0, memory)
        size = min(items, fitting, max(1, layouts.SCRATCH // max(1, scratch.size)))
        arguments = {
            **UNUSED,
            **given,
            "m": len(sizes),
            "scratch": backend.xp.empty(size * scratch.size, "uint8"),
            "scratch_bytes": scratch.size,
            "draws_begin": scratch.draws_begin,
            "order_begin": scratch.order_begin,
            "sampler_begin": scratch.sampler_begin,
            "heuristic_words": self._packed(backend, problem),
            "end": total,
        }
        for item in range(0, items, size):
            one = arguments | {"first": item * launch.lanes}
            count = min(size, items - item)
            backend.launch(launch.kernel, count, one, shared_bytes=launch.shared_bytes)

    def _launch(
        self,
        backend: Backend,
        problem: Problem | None,
        sizes: NDArray[Any],
        order: str,
        given: dict[str, Any],
        memory: int,
    ) -> _Launch:
        """Return the kernel; on a CPU, if possible, the side-by-side one, with equal results."""
        m, most, part = len(sizes), int(sizes.max()), self.heuristic.on(problem)
        kept = part.kept_bytes(problem)
        if (
            backend.name == "cpu"
            and all(own.side_by_side for own in part.parts)
            and order == "given"
            and not given.get("active_stride")  # states assign the same variable at the same time
            and most <= layouts.MOST_IN_LANES
            and len(given["states"]) >= layouts.LANES * backend.processors
            and (beside := layouts.Scratch.of_lanes(kept, m, most)).size <= memory
        ):
            return _Launch(self.side_by_side(problem), beside, lanes=layouts.LANES)
        team, chosen = layouts.team(backend, most), ORDERS[order]
        stored = self._rating_bytes(problem) if self._sampler(problem) == "stored" else 0
        shared = stored if layouts.in_shared_memory(backend, team, stored) else 0
        draws, turns = m * chosen.draw_bytes, m * chosen.variable_bytes
        scratch = layouts.Scratch.of(kept, draws, turns, stored - shared)
        kernel = self.kernel(order, team, layouts.MEMORIES[shared > 0], problem)
        return _Launch(kernel, scratch, shared)

    def _packed(self, backend: Backend, problem: Problem | None) -> Any:
        """Return the functor's words as a device array; caches those of the last problem."""
        found = self._words.get(backend)
        if found is None or found[0] is not problem:
            words = kept_words(backend.xp, self.heuristic.on(problem).words(backend, problem))
            found = (problem, packed_words(backend.xp, words, backend.address), words)
            self._words[backend] = found
        return found[1]
