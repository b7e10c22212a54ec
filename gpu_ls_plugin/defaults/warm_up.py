"""Makes default calls, so that their kernels are compiled before somebody waits for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import builds
from gpu_ls_plugin.core.exceptions import GpuLsError, InvalidParameterError
from gpu_ls_plugin.defaults.calls import other_calls, usual_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def warm_up(
    backend: str,
    *,
    everything: bool = False,
    only: str = "",
    show: Callable[[str, int, int], object],
) -> list[str]:
    """Compile the kernels of the default calls into the cache; return what went wrong.

    Parameters
    ----------
    backend : {"auto", "cpu", "cuda"}
    everything : bool
        Whether to make all calls of the list, or only those for the usual kinds of problems.
    only : str
        Make only calls whose name contains this.
    show : callable
        Takes the name of the next call, the number of calls before it and the number of all calls.
    """
    calls, failures = list(usual_calls()), []
    if everything:
        calls += other_calls()
    names = [call.name for call in calls]
    if not (calls := [call for call in calls if only in call.name]):
        raise InvalidParameterError(
            f"only: no default call has {only!r:.80} in its name; names such as {names[0]!r} are "
            f"made of {', '.join(_words(names))}, and the kind of numbers"
        )
    for number, call in enumerate(calls):
        show(call.name, number, len(calls))
        try:
            with builds.all_waiting():
                call.run(backend)
        except GpuLsError as error:
            failures.append(f"{call.name}: {error}")
    return failures


def _words(names: Sequence[str]) -> list[str]:
    """Return the words of names such as "solve: tours, EUC": solve, then tours."""
    pairs = [name.partition(": ") for name in names]
    kinds = [rest.partition(", ")[0] for _, _, rest in pairs if rest]
    return list(dict.fromkeys([*(word for word, _, _ in pairs), *kinds]))
