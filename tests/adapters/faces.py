"""All adapters, for the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.adapters.deap_face import Deap
from tests.adapters.evotorch_face import EvoTorch
from tests.adapters.pygad_face import PyGAD
from tests.adapters.pymoo_face import Pymoo

if TYPE_CHECKING:
    from tests.adapters.face import Face

FACES: tuple[Face, ...] = (Pymoo(), PyGAD(), Deap(), EvoTorch())
