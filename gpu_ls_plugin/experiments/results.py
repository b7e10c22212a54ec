"""The results of an experiment, with methods for tables, tests, figures and files."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.csv_files import save_csv
from gpu_ls_plugin.experiments import effort, figures, page, paper, summaries
from gpu_ls_plugin.experiments.runs import Runs

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from matplotlib.figure import Figure

    from gpu_ls_plugin.experiments.tables import Table

TARGETS = (1.0, 0.1, 0.0)  # gaps in percent
HEADER = (
    *("algorithm", "problem", "seed"),
    *("seconds", "evaluations", "generation", "best", "gap"),
)


class Results(Runs):
    """The runs of an experiment, with their tables, tests, figures and files.

    An experiment returns them; `load` reads them from the folder of an experiment.
    """

    def __repr__(self) -> str:
        counts = (
            f"{len(self.algorithms)} algorithms, {len(self.problems)} problems, "
            f"{len(self.seeds)} seeds: {len(self.records)} runs"
        )
        return f"Results({counts}, {len(self.failures().rows)} of them failed)"

    def _repr_html_(self) -> str:
        return self.table().html()

    def table(self) -> Table:
        """Return the quartiles of the final gaps of each algorithm on each problem."""
        return summaries.quartiles(self)

    def means(self) -> Table:
        """Return the mean and the standard deviation of final costs and gaps."""
        return summaries.means(self)

    def times(self, targets: Sequence[float] = TARGETS) -> Table:
        """Return how many runs reached each gap in `targets` (in percent), and how soon."""
        return summaries.times_to_target(self, _checked(targets))

    def paper_table(self, control: str | None = None) -> Table:
        """Return means and deviations, a row for each problem and a column for each algorithm.

        The lowest mean is bold. If `control` names an algorithm, marks show whether each other one
        is significantly better (+), significantly worse (minus), or neither (≈), as in
        ``tests(control)``. The method warns if runs are missing, or if there are too few seeds for
        significant differences.
        """
        table = paper.paper_table(self, control)
        if doubts := f"{table.advice}{summaries.missing_note(self)}".strip():
            warnings.warn(f"paper_table: {doubts}", stacklevel=2)
        return table

    def tests(self, control: str | None = None) -> Table:
        """Return Wilcoxon's tests of pairs of algorithms on each problem, paired by seed.

        The pairs are all pairs, or those of each other algorithm with `control`.
        """
        return summaries.tests_by_seed(self, control)

    def tests_over_problems(self) -> Table:
        """Return Wilcoxon's tests of each pair of algorithms over the problems' median gaps."""
        return summaries.tests_by_problem(self)

    def ranks(self) -> Table:
        """Return the average rank of each algorithm over all problems."""
        return summaries.ranks(self)

    def instances(self) -> Table:
        """Return the kind and the size of each problem, and the reference of its gaps."""
        return summaries.instances(self)

    def effort(self) -> Table:
        """Return what the runs did in their time, and warnings about busy machines and compilers.

        The columns have the generations, evaluations and kicks of runs, their seconds, and the
        processor seconds per second.
        """
        return effort.effort(self)

    def machines(self) -> Table:
        """Return the hardware and the package versions that the runs used."""
        return summaries.machines(self)

    def failures(self) -> Table:
        """Return the runs that failed, with the last line of their errors."""
        return summaries.failures(self)

    def plot_curves(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Draw gaps against time, with a panel for each problem.

        Lines are medians of the runs, and bands reach from the lower to the upper quartile. If a
        gap is 0, the axis of gaps is logarithmic, but linear near 0. For another size, leave `path`
        out; call ``set_size_inches`` and ``savefig`` of the returned figure.
        """
        return figures.plot_curves(self, path)

    def plot_profiles(
        self, path: str | os.PathLike[str] | None = None, targets: Sequence[float] = TARGETS
    ) -> Figure:
        """Draw performance profiles of the times to gaps, with a panel for each gap in `targets`.

        A panel shows the share of pairs of a problem and a seed for which an algorithm reaches the
        gap within a multiple of the fastest algorithm's time.
        """
        return figures.plot_profiles(self, path, _checked(targets))

    def plot_ranks(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Draw the critical-difference diagram.

        Bars join algorithms whose average ranks differ by less than the critical difference.
        """
        return figures.plot_ranks(self, path)

    def plot_fronts(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Draw the first two objectives of the final fronts, with a panel for each problem."""
        return figures.plot_fronts(self, path)

    def report(
        self,
        path: str | os.PathLike[str],
        targets: Sequence[float] = TARGETS,
        title: str = "",
        control: str | None = None,
    ) -> None:
        """Write all tables and figures to one HTML page.

        Parameters
        ----------
        targets : sequence of float
            Gaps in percent, for the times and the performance profiles.
        title : str
            Heading of the page.
        control : str, optional
            As in `paper_table` and `tests`, which then have the same tests.
        """
        page.write(self, Path(path), _checked(targets), title, control)

    def save_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the curves of all runs to one CSV file, a line for each point."""
        save_csv(path, HEADER, self._points())

    def _points(self) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of the CSV file."""
        for record in self.records:
            curve = self.curves[record.key]
            for point, (seconds, gap) in zip(record.curve, curve, strict=True):
                single = record.objectives == 1 and point.costs
                best = min(point.costs)[0] if single else None
                yield *record.key, seconds, point.evaluations, point.generation, best, gap


def _checked(targets: Sequence[float]) -> list[float]:
    return [checks.number("targets", target, least=0.0) for target in targets]
