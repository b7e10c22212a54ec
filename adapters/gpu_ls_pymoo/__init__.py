"""pymoo adapter: the library's searches and successor generation as pymoo operators and algorithms.

Nothing of pymoo is imported before one of the public names is used, so that the plugin loader
can look at the package at no cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from gpu_ls_pymoo.algorithms import MemeticGA
    from gpu_ls_pymoo.assignment import AssignmentProblem
    from gpu_ls_pymoo.crossover import (
        CycleCrossover,
        EdgeAssemblyCrossover,
        EdgeRecombinationCrossover,
        OrderCrossover,
        PartiallyMappedCrossover,
        PartitionCrossover,
        RecombinationCrossover,
        SegmentCrossover,
    )
    from gpu_ls_pymoo.domain_problem import DomainProblem
    from gpu_ls_pymoo.duplicates import TourDuplicateElimination
    from gpu_ls_pymoo.experiment import Experiment
    from gpu_ls_pymoo.mating import MemeticMating
    from gpu_ls_pymoo.memetic_nsga2 import MemeticNSGA2
    from gpu_ls_pymoo.multi_objective import MultiObjectiveTSP
    from gpu_ls_pymoo.mutation import (
        DoubleBridgeMutation,
        LocalSearchMutation,
        PerturbationMutation,
    )
    from gpu_ls_pymoo.output import LocalSearchOutput
    from gpu_ls_pymoo.problems import as_tsp
    from gpu_ls_pymoo.random_keys import RandomKeysProblem
    from gpu_ls_pymoo.repair import CanonicalTourRepair
    from gpu_ls_pymoo.route_crossover import (
        RouteEdgeAssemblyCrossover,
        SelectiveRouteExchangeCrossover,
        SplitCrossover,
    )
    from gpu_ls_pymoo.sampling import LocalSearchSampling
    from gpu_ls_pymoo.search import default_search
    from gpu_ls_pymoo.successor_keys import SuccessorKeysProblem
    from gpu_ls_pymoo.successors import SuccessorMutation, SuccessorSampling
    from gpu_ls_pymoo.survival import EdgeDistanceSurvival
    from gpu_ls_pymoo.tours import TSPProblem
    from gpu_ls_pymoo.vehicle_routing import CVRPProblem
    from gpu_ls_pymoo.weights import (
        DirectionWeights,
        ParetoLocalSearch,
        PositionWeights,
        RandomWeights,
        Tchebycheff,
    )

__all__ = [
    "AssignmentProblem",
    "CVRPProblem",
    "CanonicalTourRepair",
    "CycleCrossover",
    "DirectionWeights",
    "DomainProblem",
    "DoubleBridgeMutation",
    "EdgeAssemblyCrossover",
    "EdgeDistanceSurvival",
    "EdgeRecombinationCrossover",
    "Experiment",
    "LocalSearchMutation",
    "LocalSearchOutput",
    "LocalSearchSampling",
    "MemeticGA",
    "MemeticMating",
    "MemeticNSGA2",
    "MultiObjectiveTSP",
    "OrderCrossover",
    "ParetoLocalSearch",
    "PartiallyMappedCrossover",
    "PartitionCrossover",
    "PerturbationMutation",
    "PositionWeights",
    "RandomKeysProblem",
    "RandomWeights",
    "RecombinationCrossover",
    "RouteEdgeAssemblyCrossover",
    "SegmentCrossover",
    "SelectiveRouteExchangeCrossover",
    "SplitCrossover",
    "SuccessorKeysProblem",
    "SuccessorMutation",
    "SuccessorSampling",
    "TSPProblem",
    "Tchebycheff",
    "TourDuplicateElimination",
    "as_tsp",
    "default_search",
]

_HOMES = {
    "AssignmentProblem": "assignment",
    "CVRPProblem": "vehicle_routing",
    "CanonicalTourRepair": "repair",
    "CycleCrossover": "crossover",
    "DirectionWeights": "weights",
    "DomainProblem": "domain_problem",
    "DoubleBridgeMutation": "mutation",
    "EdgeAssemblyCrossover": "crossover",
    "EdgeDistanceSurvival": "survival",
    "EdgeRecombinationCrossover": "crossover",
    "Experiment": "experiment",
    "LocalSearchMutation": "mutation",
    "LocalSearchOutput": "output",
    "LocalSearchSampling": "sampling",
    "MemeticGA": "algorithms",
    "MemeticMating": "mating",
    "MemeticNSGA2": "memetic_nsga2",
    "MultiObjectiveTSP": "multi_objective",
    "OrderCrossover": "crossover",
    "ParetoLocalSearch": "weights",
    "PartiallyMappedCrossover": "crossover",
    "PartitionCrossover": "crossover",
    "PerturbationMutation": "mutation",
    "PositionWeights": "weights",
    "RandomKeysProblem": "random_keys",
    "RandomWeights": "weights",
    "RecombinationCrossover": "crossover",
    "RouteEdgeAssemblyCrossover": "route_crossover",
    "SegmentCrossover": "crossover",
    "SelectiveRouteExchangeCrossover": "route_crossover",
    "SplitCrossover": "route_crossover",
    "SuccessorKeysProblem": "successor_keys",
    "SuccessorMutation": "successors",
    "SuccessorSampling": "successors",
    "TSPProblem": "tours",
    "Tchebycheff": "weights",
    "TourDuplicateElimination": "duplicates",
    "as_tsp": "problems",
    "default_search": "search",
}


__getattr__, __dir__ = lazy_names(__name__, _HOMES, "pymoo")
