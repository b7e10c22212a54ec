from .crossover import RecombinationCrossover as RecombinationCrossover
from .fitness import TourFitness as TourFitness
from .mutation import DoubleBridgeMutation as DoubleBridgeMutation
from .mutation import LocalSearchMutation as LocalSearchMutation
from .mutation import PerturbationMutation as PerturbationMutation
from .sampling import LocalSearchSampling as LocalSearchSampling
from .successors import SuccessorMutation as SuccessorMutation
from .successors import SuccessorSampling as SuccessorSampling
