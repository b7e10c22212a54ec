from .custom_operator import Improved as Improved
from .custom_operator import improve as improve
from .rl4co import local_search_cvrp as local_search_cvrp
from .rl4co import local_search_tsp as local_search_tsp
