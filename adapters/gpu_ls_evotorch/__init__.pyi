from gpu_ls_plugin.evolution.timed_run import TimedRun as TimedRun

from .algorithm import MemeticGA as MemeticGA
from .crossover import RecombinationCrossover as RecombinationCrossover
from .mutation import DoubleBridgeMutation as DoubleBridgeMutation
from .mutation import LocalSearchMutation as LocalSearchMutation
from .mutation import PerturbationMutation as PerturbationMutation
from .problem import DomainProblem as DomainProblem
from .sampling import LocalSearchSampling as LocalSearchSampling
from .successors import SuccessorMutation as SuccessorMutation
from .successors import SuccessorSampling as SuccessorSampling
