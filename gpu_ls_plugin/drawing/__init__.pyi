from ..routes.plan.drawing import plot_routes as plot_routes
from ..tours.plan.drawing import coordinates as coordinates
from ..tours.plan.drawing import plot_population as plot_population
from ..tours.plan.drawing import plot_tour as plot_tour
from .fronts import plot_fronts as plot_fronts
from .runs import animate_run as animate_run
from .solutions import plot_solution as plot_solution
