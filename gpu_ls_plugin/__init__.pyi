from . import assignment as assignment
from . import backends as backends
from . import cli as cli
from . import core as core
from . import distributed as distributed
from . import drawing as drawing
from . import evolution as evolution
from . import experiments as experiments
from . import extend as extend
from . import jax as jax
from . import plugins as plugins
from . import routes as routes
from . import runs as runs
from . import sequences as sequences
from . import solver as solver
from . import testing as testing
from . import torch as torch
from . import tours as tours
from .assignment import *  # noqa: F403
from .core import exceptions as exceptions
from .core.budget import Budget as Budget
from .core.many_result import ManyResult as ManyResult
from .core.problem import Problem as Problem
from .core.progress import SearchDisplay as SearchDisplay
from .core.registry import registry as registry
from .core.result import Progress as Progress
from .core.result import Result as Result
from .core.result import Statistics as Statistics
from .distributed import Islands as Islands
from .drawing.pictures import animate_run as animate_run
from .drawing.pictures import plot_fronts as plot_fronts
from .drawing.pictures import plot_schedule as plot_schedule
from .drawing.pictures import plot_solution as plot_solution
from .routes import *  # noqa: F403
from .sequences import *  # noqa: F403
from .solver.calls import plan as plan
from .solver.calls import solve as solve
from .solver.many import solve_many as solve_many
from .tensors.improving import Improved as Improved
from .tensors.improving import improve as improve
from .tours import *  # noqa: F403

__version__: str
