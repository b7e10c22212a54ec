from .problem.objective import SequenceObjective as SequenceObjective
from .problem.sequence import Sequence as Sequence
