from ..routes.plan.drawing import plot_routes as plot_routes
from ..tours.plan.drawing import coordinates as coordinates
from ..tours.plan.drawing import plot_population as plot_population
from ..tours.plan.drawing import plot_tour as plot_tour
from .pictures import animate_run as animate_run
from .pictures import plot_fronts as plot_fronts
from .pictures import plot_schedule as plot_schedule
from .pictures import plot_solution as plot_solution
