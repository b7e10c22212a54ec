"""The built-in parts for sequence problems, by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.sequences.construction.beam_search import beam_search
from gpu_ls_plugin.sequences.construction.neh import neh
from gpu_ls_plugin.sequences.construction.random_sequences import random_sequences
from gpu_ls_plugin.sequences.domain import Sequences
from gpu_ls_plugin.sequences.kicks.block_swap import BlockSwap
from gpu_ls_plugin.sequences.kicks.destroy_repair import DestroyRepair
from gpu_ls_plugin.sequences.moves.sequence_moves import Insertion, Reversal, Swap
from gpu_ls_plugin.sequences.searches.sequence_search import SequenceSearch

if TYPE_CHECKING:
    from collections.abc import Mapping

PARTS: Mapping[str, tuple[Any, ...]] = {
    "domain": (Sequences,),
    "construction": (beam_search, neh, random_sequences),
    "sequence_move": (Insertion, Swap, Reversal),
    "sequence_kick": (DestroyRepair, BlockSwap),
    "search": (SequenceSearch,),
}
