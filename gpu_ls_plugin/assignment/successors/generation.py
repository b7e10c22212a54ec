"""Successor generation for assignment problems (Köster, Groß and Krüger: FANG)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from gpu_ls_plugin.assignment.heuristics.base import Heuristic
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.assignment.successors import layouts
from gpu_ls_plugin.assignment.successors.choices import (
    BY_SUMS,
    DRAWN,
    MOST_STORED,
    ORDERS,
    SAMPLERS,
)
from gpu_ls_plugin.assignment.successors.states import (
    distinct_rows,
    take_active,
    take_keys,
    take_states,
)
from gpu_ls_plugin.backends import arrays, get_backend
from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.functor_words import kept_words, packed_words
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.core.origins import sources_of
from gpu_ls_plugin.core.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend

SUCCESSORS = struct_of("assignment/successors/generate.cuh", "Successors")


class _Way(NamedTuple):
    """A kernel, the memory of an item, shared memory of a block, and the successors of an item."""

    kernel: Kernel
    scratch: layouts.Scratch
    shared: int = 0
    lanes: int = 1


@dataclass(frozen=True)
class SuccessorGeneration:
    """Generate successors of states: active variables are assigned anew, by weighted random choice.

    Each state is cloned `count` times. The active variables of a clone are released, and then
    assigned one after the other: the heuristic weighs all values of the variable in the state as
    it is, and one is chosen with a probability in proportion to its weight. A variable whose
    values all have weight 0 stays at -1 (Köster, Groß and Krüger: FANG).

    Successors depend on their state, its number, `seed`, heuristic and sampler alone: not on the
    backend, the batch or the threads at work. The first successors of a state are the same
    whatever `count` is.

    Parameters
    ----------
    heuristic : Heuristic
    sampler : {"auto", "stored", "rescan", "softmax"}
        How a value is chosen. "stored" keeps the ratings in memory, as the paper; "rescan" keeps
        nothing and rates values again, and chooses what "stored" does;
        "softmax" draws a random number for every value (Gumbel-max) and chooses others, with the
        same probabilities up to 1e-6 of each. "auto" is "stored" where the ratings of
        all values fit the shared memory of a block, else "rescan".

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
        checks.fields(self, checks.choice, "sampler", known=("auto", *SAMPLERS))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies do not have the arrays of this process."""
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
            An `Assignment` says how many values each variable has; without one, the heuristic.
        states : array, shape (P, m), integer
            Values, or -1; not changed. NumPy, or CuPy with the result on the same device.
        count : int
            Successors of each state; they follow each other.
        active : bool array, shape (m,) or (P, m), optional
            Which variables are assigned anew, by default all; the others keep their value.
        order : {"given", "shuffled"}
            Variables by their numbers, or each successor's in a random order of its own.
        distinct : bool
            Leave out copies of successors before.
        seed : int or None
            Pass another one for each call, or None to draw one.
        backend, device
            Where they are generated; see `get_backend`.
        memory_limit : int, optional
            Bytes that may be used besides states and successors; without a difference to the
            result.
        first_row : int
            Number of the first state, where the batch is a part of a larger one.

        Returns
        -------
        array, shape (P * count, m), int32
            Fewer rows where they are to be `distinct`.

        Raises
        ------
        UnsupportedProblemError
            The heuristic is not one for this problem.
        InvalidTourError, InvalidTypeError, InvalidParameterError
            States, mask or another parameter are not what is described here.
        InsufficientMemoryError
            Not even one successor fits.
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
                "draws": None,
                "listed": None,
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
        """Return the states that random keys stand for: keys, not random numbers, choose values.

        A state is assigned as a successor of the empty one. A key chooses, of the values of its
        variable in their order, the first at which the weights so far exceed this share of all
        weights: the inverse of their distribution function. Uniform keys stand for states as they
        are generated, and similar keys mostly for similar states (Bean 1994).

        Parameters
        ----------
        problem : Problem or None
            As in a call.
        keys : float array, shape (P, m) or (P, 2 m), from 0 to 1
            A key for the value of each variable, and perhaps as many for the order in which the
            variables are assigned, the least first; else they are by their numbers. NumPy, or
            CuPy with the result on the same device.
        backend, device, memory_limit
            As in a call.

        Returns
        -------
        array, shape (P, m), int32

        Raises
        ------
        UnsupportedProblemError
            The heuristic is not one for this problem.
        InvalidParameterError, InvalidTypeError
            The sampler is "softmax", which does not choose by a single number, or keys or another
            parameter are not what is described here; the row is named.
        """
        if problem is not None:
            checks.instance("problem", problem, kind=Problem, wanted="Problem")
        checks.choice("sampler", self.sampler, known=BY_SUMS)
        sizes = self._sizes(problem)
        chosen = get_backend(backend, device, tours=keys)
        with chosen.current():
            draws, listed = take_keys(chosen, len(sizes), keys)
            found = chosen.xp.empty(draws.shape, "int32")
            given = {
                "seed": 0,
                "first_row": 0,
                "count": 1,
                "sources": chosen.xp.full(draws.shape, -1, "int32"),
                "active": None,
                "active_stride": 0,
                "draws": draws,
                "listed": listed,
                "states": found,
            }
            self._generate(chosen, problem, sizes, "keys", given, chosen.memory(memory_limit))
            return arrays.give(chosen, found, like=keys)

    def kernel(
        self,
        order: str,
        team: str,
        memory: str = layouts.MEMORIES[0],
        problem: Problem | None = None,
    ) -> Kernel:
        """Compose the generation of one successor per team; `memory` is the sampler's."""
        part, name = self.heuristic.on(problem), self._sampler(problem)
        sampler, functor = SAMPLERS[name], part.functor()
        size = f'static_assert(sizeof({functor}::Rating) == {part.rating_bytes}, "rating_bytes");'
        parts = (functor, sampler.functor, ORDERS[order].functor, memory)
        headers = [header for own in part.parts for header in own.headers]
        return Kernel(
            name="generate_successors",
            header="assignment/successors/generate.cuh",
            body=f"gls::GenerateSuccessors<{', '.join(parts)}>",
            parameters=(SUCCESSORS, *parse_parameters("const gls::uint64* heuristic_words")),
            team=team,
            functors=(*sources_of(*part.parts), size),
            parts=(*dict.fromkeys(own.name for own in part.parts), name),
            headers=("assignment/heuristics/heuristic.cuh", *headers, sampler.header),
        )

    def side_by_side(self, problem: Problem | None = None) -> Kernel:
        """Compose the generation of some successors side by side by one thread of a CPU."""
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
        """Return the sampler by name; what "auto" chooses between finds the same values."""
        if self.sampler != "auto":
            return self.sampler
        part = self.heuristic.on(problem)
        ratings = int(np.max(part.sizes(problem))) * part.rating_bytes
        return "stored" if ratings <= MOST_STORED else "rescan"

    def _sizes(self, problem: Problem | None) -> NDArray[Any]:
        """Return how many values variables may have."""
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
        """Fill `states`, as many rows in a launch as fit the memory."""
        way = self._way(backend, problem, sizes, order, given, memory)
        scratch, total = way.scratch, len(given["states"])
        items = -(-total // way.lanes)
        fitting = backend.rows_that_fit(max(1, scratch.size), 0, memory)
        size = min(items, fitting, max(1, layouts.SCRATCH // max(1, scratch.size)))
        arguments = {
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
            one = arguments | {"first": item * way.lanes}
            backend.launch(way.kernel, min(size, items - item), one, shared_bytes=way.shared)

    def _way(
        self,
        backend: Backend,
        problem: Problem | None,
        sizes: NDArray[Any],
        order: str,
        given: dict[str, Any],
        memory: int,
    ) -> _Way:
        """Return how successors are made: side by side on a CPU, where it finds the same."""
        m, most, part = len(sizes), int(sizes.max()), self.heuristic.on(problem)
        kept = part.kept_bytes(problem)
        if (
            backend.name == "cpu"
            and all(own.side_by_side for own in part.parts)
            and self._sampler(problem) in BY_SUMS
            and order == "given"
            and given["active_stride"] == 0  # states assign the same variable at a time
            and most <= layouts.MOST_IN_LANES
            and len(given["states"]) >= layouts.LANES * backend.processors
            and (beside := layouts.Scratch.of_lanes(kept, m, most)).size <= memory
        ):
            return _Way(self.side_by_side(problem), beside, lanes=layouts.LANES)
        team, chosen = layouts.team(backend, most), ORDERS[order]
        own = SAMPLERS[self._sampler(problem)].own_bytes(most, part.rating_bytes)
        shared = own if layouts.in_shared_memory(backend, team, own) else 0
        draws, turns = m * chosen.draw_bytes, m * chosen.variable_bytes
        scratch = layouts.Scratch.of(kept, draws, turns, own - shared)
        kernel = self.kernel(order, team, layouts.MEMORIES[shared > 0], problem)
        return _Way(kernel, scratch, shared)

    def _packed(self, backend: Backend, problem: Problem | None) -> Any:
        """Return the functor's parameters as an array of the backend; those of the last problem."""
        found = self._words.get(backend)
        if found is None or found[0] is not problem:
            words = kept_words(backend.xp, self.heuristic.on(problem).words(backend, problem))
            found = (problem, packed_words(backend.xp, words, backend.address), words)
            self._words[backend] = found
        return found[1]
