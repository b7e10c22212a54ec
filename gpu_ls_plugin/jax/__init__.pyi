from .callback import Improved as Improved
from .callback import improve as improve
