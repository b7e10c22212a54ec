"""Default calls ask a GPU for no kernel that a rehearsal lacks, and run with ready-made ones."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.gpu

PROLOGUE = """
import sys
from pathlib import Path

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import builds, get_backend, ready_made, standing_in
from gpu_ls_plugin.backends.tuning import SHARED_MEMORY
from gpu_ls_plugin.defaults import calls, problems
from gpu_ls_plugin.defaults.making import Maker
from gpu_ls_plugin.defaults.rehearsal import Rehearsal

cuda = get_backend("cuda")
capability = int(cuda.xp.cuda.Device().compute_capability)
arch = max(a for a in SHARED_MEMORY if a // 10 == capability // 10 and a <= capability)
rehearsal = Rehearsal(arch)
"""

# Prints the kernels that the usual calls compile on this GPU although they are not in the list.
LISTED = """
class Asked(ready_made.Programs):
    def library(self, source):
        return None

    def cubin(self, source, capability):
        asked[source] = None


asked = {}
for call in calls.usual_calls():
    with builds.all_waiting(), ready_made.using(Asked(ready_made.FOLDER)):
        call.run("cuda")
    with standing_in(rehearsal):
        call.run("cuda")
with standing_in(rehearsal):
    for call in calls.other_calls():
        if call.name.startswith("sizes"):
            call.run("cuda")
listed = {kernel.source for kernel in rehearsal.kernels}
for source in asked:
    if source not in listed:
        print(source[source.rindex('extern "C"'):])
"""

# Searches with compiled kernels, then with ready-made ones, of which none is compiled.
SERVED = """

problem = problems.planar("EUC_2D")
rows = gls.random_tours(problem, size=10, seed=1, backend="cuda")
first = gls.LocalSearch()(problem, rows, seed=1, backend="cuda")
gls.LocalSearch()(problem, rows.get() if hasattr(rows, "get") else rows, backend=rehearsal)
maker = Maker(Path(sys.argv[1]))
maker.make_cubins(rehearsal.kernels, arch)
used = []


class Noted(ready_made.Programs):
    def cubin(self, source, capability):
        used.append(super().cubin(source, capability))
        return used[-1]


cuda._forget()
with ready_made.using(Noted(maker.folder)):
    again = gls.LocalSearch()(problem, rows, seed=1, backend="cuda")
assert (first.tours == again.tours).all()
print(sum(path is None for path in used), end="" if used else "nothing was asked for")
"""


@pytest.mark.parametrize(("script", "expected"), [(LISTED, ""), (SERVED, "0")])
def test_kernels_of_default_calls(tmp_path, script, expected) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROLOGUE + script, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        text=True,
        capture_output=True,
    )
    assert (done.stdout, done.returncode) == (expected, 0), done.stderr
