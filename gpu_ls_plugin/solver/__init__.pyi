from ..runs.compiling import compile_search as compile_search
from ..runs.settings import Settings as Settings
from .plans import default_settings as default_settings
from .run import solve as solve
