from .kicks.destroy_repair import DestroyRepair as DestroyRepair
from .moves.sequence_moves import Insertion as Insertion
from .moves.sequence_moves import Reversal as Reversal
from .moves.sequence_moves import Swap as Swap
from .problem.objective import SequenceObjective as SequenceObjective
from .problem.sequence import Sequence as Sequence
from .searches.sequence_search import SequenceSearch as SequenceSearch
