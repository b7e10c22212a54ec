"""FANG's own structure (paper004.cu) as a generator of successors, on both backends."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.successors.layouts import MEMORIES
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.structs import kept_words, packed_words
from gpu_ls_plugin.backends.tuning import padded
from gpu_ls_plugin.core.origins import sources_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.extend import Heuristic

SEGMENT, SUM_BYTES = 32, 8  # values of a segment; bytes of a prefix sum
WORD = 32  # variables in a word of a bit set
PARAMETERS = parse_parameters(
    "int m, int most, const int* sources, const gls::uint32* active, gls::uint32* left, "
    "gls::uint64* numbers, int* states, char* ratings, gls::uint64* prefix_sums, char* scratch, "
    "gls::int64 scratch_bytes, gls::int64 segments_begin, const gls::uint64* words"
)


@dataclass(frozen=True)
class PaperStructure:
    """Generate one successor of each state with the structure that the paper describes.

    Parameters
    ----------
    heuristic : Heuristic
        With an aggregate, and without `prepare` and `assign_by_team`.
    threads : int
        Threads that work on a state on a GPU, a multiple of 32. The paper names no number.
    """

    heuristic: Heuristic
    threads: int = 256
    _words: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __call__(
        self,
        states: Any,
        *,
        active: Any = None,
        seeds: Any = None,
        bits: Any = None,
        backend: str = "auto",
    ) -> Any:
        """Return successors.

        Parameters
        ----------
        states : array, shape (P, m), int32
        active : bool array, shape (P, m), optional
            By default, all variables are assigned.
        seeds : uint64 array, shape (P,), optional
            Seeds of xorshift64*, not 0; by default, they are drawn.
        bits : uint64 array, shape (P, m), optional
            The random bits of each variable instead of seeds.
        backend : str

        Returns
        -------
        array of the backend, shape (P, m), int32
        """
        chosen = get_backend(backend)
        xp, part = chosen.xp, self.heuristic
        count, m = states.shape
        most = int(part.sizes(None).max())
        if bits is None and seeds is None:
            seeds = np.random.default_rng(1).integers(1, 2**63, count).astype(np.uint64)
        numbers = xp.array(seeds if bits is None else bits, dtype="uint64")
        on_gpu = chosen.name == "cuda"
        segments_begin = padded(part.kept_bytes(None))
        segment_bytes = SUM_BYTES * -(-most // SEGMENT)
        size = segments_begin + (0 if on_gpu else segment_bytes)
        found = xp.empty((count, m), "int32")
        sets = bit_sets(np.ones((count, m), bool) if active is None else np.asarray(active))
        arguments = {
            "m": m,
            "most": most,
            "sources": xp.asarray(states, dtype="int32"),
            "active": xp.asarray(sets),
            "left": xp.empty(sets.shape, "uint32"),
            "numbers": numbers,
            "states": found,
            "ratings": xp.empty(count * most * part.rating_bytes, "uint8"),
            "prefix_sums": xp.empty(count * most, "uint64"),
            "scratch": xp.empty(count * size, "uint8"),
            "scratch_bytes": size,
            "segments_begin": segments_begin,
            "words": self._packed(chosen),
        }
        team = chosen.block(self.threads)
        kernel = self.kernel(team, MEMORIES[on_gpu], "GivenBits" if seeds is None else "XorShift")
        chosen.launch(kernel, count, arguments, shared_bytes=segment_bytes if on_gpu else 0)
        return found

    def kernel(self, team: str, memory: str, numbers: str) -> Kernel:
        """Compose the kernel; `memory` holds the segments, `numbers` draws."""
        part = self.heuristic
        text = Path(__file__).with_name("paper004.cu").read_text("utf-8")
        return Kernel(
            name="paper_successors",
            header="assignment/successors/prefix_sums.cuh",
            body=f"fang::Fang<{part.functor()}, {memory}, fang::{numbers}>",
            parameters=PARAMETERS,
            team=team,
            functors=(*sources_of(part), text.replace("#pragma once\n", "")),
            headers=(
                "assignment/heuristics/heuristic.cuh",
                "assignment/successors/prefix_sums.cuh",
                "assignment/successors/sampler_memory.cuh",
            ),
        )

    def _packed(self, backend: Any) -> Any:
        """Return the functor's words on a backend."""
        if backend.name not in self._words:
            words = kept_words(backend.xp, self.heuristic.words(backend, None))
            packed = packed_words(backend.xp, words, backend.address)
            self._words[backend.name] = packed, words
        return self._words[backend.name][0]


def bit_sets(active: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """Return masks as bit sets, shape (P, words): bit b of word w is variable 32 w + b."""
    count, m = active.shape
    words = -(-m // WORD)
    wide = np.zeros((count, words * WORD), bool)
    wide[:, :m] = active
    return np.packbits(wide, axis=1, bitorder="little").view("<u4")


def xorshift(seeds: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the next numbers of xorshift64* and the new seeds."""
    now = seeds.copy()
    now ^= now >> np.uint64(12)
    now ^= now << np.uint64(25)
    now ^= now >> np.uint64(27)
    return now * np.uint64(0x2545F4914F6CDD1D), now
