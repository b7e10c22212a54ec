"""Local search on the GPU for whole populations of tours, routes, sequences and assignments.

One call solves a problem::

    import gpu_ls_plugin as gls

    problem = gls.TSP.read("pr2392.tsp")        # or gls.TSP(coordinates), gls.CVRP(...), ...
    result = gls.solve(problem, seconds=10)     # Ctrl-C returns the best row so far
    print(result.best_cost, result.best_tour)

Problems
    `TSP`, `OpenPath`, `CVRP` (vehicle routing), `FlowShop`, `SingleMachine`, `Latency`,
    `LinearOrdering`, `Sequence` (your own objective), `GraphColouring`, `GeneralisedAssignment`,
    `QuadraticAssignment`. ``TSP.read(path)`` and so on read files.
Solving
    `solve` searches one problem, `solve_many` searches many in one call, and `Islands` uses many
    GPUs or workers. `improve` searches rows that are arrays or tensors. `plan` says what `solve` is
    going to do. A `Budget` limits a search, and a `SearchDisplay` shows its progress. Every search
    returns a `Result`.
Searches
    Each is called as ``search(problem, rows, seed=..., budget=...)``: `LocalSearch`,
    `IteratedLocalSearch`, `HybridGeneticSearch` (routes), `SequenceSearch` (sequences),
    `SuccessorSearch` (assignments).
Parts of searches
    Moves `TwoOpt`, `OrOpt`, `LinKernighan`, `SwapStar`, `Insertion`, `Swap`; candidate lists
    `Nearest`, `Alpha`; kicks `DoubleBridge`, `StringRemoval`, `DestroyRepair`; the acceptance rule
    `Annealing`; the crossover `EdgeAssembly`; the constructions `nearest_neighbour`,
    `random_tours`, `greedy`, `savings`, `neh`.
Pictures and files
    `plot_solution`, `plot_tour`, `plot_routes`, `plot_schedule`, `plot_fronts`, `animate_run`,
    `read_tour`, `known_optimum`.

``dir(gls)`` shows these names. All others are in namespaces, and also available as ``gls.NAME``:
`gls.tours`, `gls.routes`, `gls.sequences` and `gls.assignment` contain everything for one kind of
problem, `gls.extend` contains the names that authors of plugins import, `gls.testing` the checks
for their parts, and `gls.exceptions` the errors, all of which derive from `GpuLsError`.

The adapters `gpu_ls_pymoo`, `gpu_ls_pygad`, `gpu_ls_deap` and `gpu_ls_evotorch` are separate
packages; `gls.torch` and `gls.jax` are for tensors. ``gpu-ls --help`` lists the commands.

Each name is imported when it is first used, so that ``import gpu_ls_plugin`` is cheap. There is no
``__all__``: import names one by one.
"""

from gpu_ls_plugin import wiring as _wiring  # noqa: F401
from gpu_ls_plugin.core.former_rooms import former_room
from gpu_ls_plugin.core.lazy_names import lazy_names

__version__ = "0.2.0"

# What `dir` shows: the names that most people need, and the namespaces. `__init__.pyi` has all.
_SHOWN = """
    TSP OpenPath CVRP VRP GraphColouring GeneralisedAssignment QuadraticAssignment
    Sequence FlowShop SingleMachine Latency LinearOrdering
    solve solve_many improve plan Budget Result SearchDisplay Islands
    LocalSearch IteratedLocalSearch HybridGeneticSearch SuccessorSearch SequenceSearch
    TwoOpt OrOpt LinKernighan SwapStar Nearest Alpha DoubleBridge StringRemoval Annealing
    Insertion Swap DestroyRepair EdgeAssembly nearest_neighbour random_tours greedy savings neh
    plot_solution plot_tour plot_routes plot_schedule plot_fronts animate_run
    read_tour known_optimum
    exceptions tours routes assignment sequences extend testing __version__
"""

__getattr__, __dir__ = lazy_names(__name__, shown=_SHOWN.split(), former=former_room)
