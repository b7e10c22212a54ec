"""The check of objectives of sequences passes those that are right and finds planted faults."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.testing import check_sequence_objective
from tests.helpers.marks import slow_after
from tests.sequences.problem.tardy import Tardy
from tests.testing.faults import ON_BOTH, found_out

RNG = np.random.default_rng(5)
TIMES = RNG.integers(1, 50, (9, 3))
SETUPS = RNG.integers(0, 9, (3, 9, 9))
DUE = RNG.integers(50, 300, 9)
CITIES = RNG.integers(0, 99, (9, 2))
MATRIX = RNG.integers(-9, 99, (9, 9))
BUILT_IN = {
    "makespan": gls.FlowShop(TIMES),
    "total_flowtime": gls.FlowShop(TIMES, "total_flowtime"),
    "weighted_tardiness": gls.FlowShop(TIMES, "weighted_tardiness", due_dates=DUE, weights=DUE % 4),
    "makespan, setups": gls.FlowShop(TIMES, setups=SETUPS),
    "total_flowtime, setups": gls.FlowShop(TIMES, "total_flowtime", setups=SETUPS),
    "single machine": gls.SingleMachine(TIMES[:, 0], DUE // 3, DUE % 4),
    "single machine, setups": gls.SingleMachine(TIMES[:, 0], DUE // 3, DUE % 4, SETUPS[0]),
    "latency": gls.Latency(gls.TSP(CITIES, "EUC_2D"), 2),
    "latency, closed": gls.Latency(gls.TSP(CITIES, "EUC_2D"), closed=True),
    "latency, real": gls.Latency(gls.TSP(CITIES + 0.25)),
    "linear ordering": gls.LinearOrdering(MATRIX),
    "linear ordering, real": gls.LinearOrdering(MATRIX / 7),
}
FUNCTOR = "gpu_ls_plugin.testing.sequence_functor"
OPTIONS = {"seed": 3, "backend": "cpu"}

# The weighted sum of ends; each item that follows its predecessor by number is a violation.
FLOW = """
struct Flow {
  const gls::int64* times;
  const gls::int64* weights;
  struct State {
    gls::int64 time, weight, cost, excess;
    int first, last;
  };
  GLS_DEVICE State begin() const { return {0, 0, 0, 0, -1, -1}; }
  GLS_DEVICE State append(const State& state, int item) const {
    return both(state, single(item));
  }
  GLS_DEVICE gls::Violating<gls::int64> cost(const State& state) const {
    return {state.cost, state.excess};
  }
  // LEVEL
  GLS_DEVICE State single(int item) const {
    return {times[item], weights[item], times[item] * weights[item], 0, item, item};
  }
  GLS_DEVICE State both(const State& a, const State& b) const {
    if (a.first < 0) return b;
    if (b.first < 0) return a;
    return {a.time + b.time, a.weight + b.weight, a.cost + a.time * b.weight + b.cost,
            a.excess + (b.first == a.last + 1) + b.excess, a.first, b.last};
  }
};
"""
SUFFIX = """
  GLS_DEVICE State end() const { return begin(); }
  GLS_DEVICE State prepend(const State& state, int item) const { return both(single(item), state); }
  GLS_DEVICE gls::Violating<gls::int64> join(const State& a, const State& b) const {
    return cost(both(a, b));
  }
"""
SEGMENTS = """
  GLS_DEVICE State concatenate(const State& a, const State& b) const { return both(a, b); }
"""


class Flow(gls.SequenceObjective):
    name = "flow"
    price = 5

    def __init__(self, level="", right="", wrong="", n=7):
        self.times, self.weights = np.random.default_rng(n).integers(1, 9, (2, n))
        text = FLOW.replace("// LEVEL", level)
        assert right in text
        self.text = text.replace(right, wrong, 1)

    def evaluate(self, rows):
        costs = (self.weights[rows] * self.times[rows].cumsum(axis=1)).sum(axis=1)
        return costs, (np.diff(rows, axis=1) == 1).sum(axis=1)

    def functor(self):
        return "Flow"

    def source(self):
        return self.text

    def data(self):
        return {"times": self.times, "weights": self.weights}


# The makespan on two machines.
TWO = """
struct Two : gls::MachineStates<Two, 2, int, int> {
  const int* times;
  GLS_DEVICE int head(int machine, int before, int left, int, int item) const {
    return (before > left ? before : left) + times[2 * item + machine];
  }
  GLS_DEVICE int finish(int, int last, int) const { return last; }
  GLS_DEVICE gls::int64 cost_of(int total) const { return total; }
  GLS_DEVICE int tail(int machine, int after, int right, int item, int) const {
    return (after > right ? after : right) + times[2 * item + machine];
  }
  GLS_DEVICE int meet(int most, int machine, int head, int tail, int, int) const {
    return head + tail > most ? head + tail : most;
  }
};
"""


class Two(gls.SequenceObjective):
    name = "two"

    def __init__(self, right="", wrong=""):
        self.problem = gls.FlowShop(TIMES[:7, :2])
        assert right in TWO
        self.text = TWO.replace(right, wrong, 1)

    def evaluate(self, rows):
        return self.problem.cost(rows)

    def functor(self):
        return "Two"

    def source(self):
        return self.text

    def data(self):
        return {"times": self.problem.times.astype(np.int32)}


# Pairs of items cost the more, the later an item comes before a smaller one.
PAIRS = """
struct Pairs {
  int n;
  GLS_DEVICE gls::int64 pair(int first, int second) const {
    return first > second ? first * n + second : 0;
  }
};
"""


class Pairs(gls.SequenceObjective):
    name = "pairs"

    def __init__(self, right="", wrong=""):
        self.text = PAIRS.replace(right, wrong, 1)

    def evaluate(self, rows):
        n = rows.shape[1]
        first, second = rows[:, :, None], rows[:, None, :]
        return np.triu(np.where(first > second, first * n + second, 0), 1).sum(axis=(1, 2))

    def functor(self):
        return "Pairs"

    def source(self):
        return self.text

    def data(self):
        return {"n": 7}


def check(objective, n=7, **options):
    check_sequence_objective(objective, gls.Sequence(n, objective), **options)


@pytest.mark.parametrize("name", slow_after(3, BUILT_IN))
def test_built_in_objectives_pass(name):
    problem = BUILT_IN[name]
    check_sequence_objective(problem.objective, problem, backend="cpu")


@ON_BOTH
@pytest.mark.parametrize(
    "objective",
    [Tardy(), Flow(), Flow(SUFFIX), Flow(SEGMENTS), Two(), Pairs()],
    ids=["prefix", "violations", "suffix", "segments", "machines", "pairs"],
)
def test_objectives_of_each_level_pass(objective, backend):
    check(objective, backend=backend)


@pytest.mark.parametrize("n", [1, 2, 5, 60])
def test_all_sizes_pass(n):
    check(Flow(SEGMENTS, n=n), n, **OPTIONS)
    check(Tardy(n), n, **OPTIONS)


def test_functions_pass():
    rows_of_costs = gls.Sequence(7, lambda rows: rows[:, 0] * 0.5)
    check_sequence_objective(rows_of_costs.objective, rows_of_costs, **OPTIONS)
    check_sequence_objective(lambda rows: rows[:, 0] * 0.5, rows_of_costs, **OPTIONS)


EVALUATE = {
    "changed the rows in place": lambda rows: rows.sort(axis=1) or rows[:, 0],
    r"evaluate\(\) raised .* shape \(200, 7\)": lambda rows: rows,
    r"evaluate\(\) raised .* type bool": lambda rows: rows[:, 0] > 3,
    r"evaluate\(\) raised .* returned nan": lambda rows: np.full(len(rows), np.nan),
    r"evaluate\(\) raised IndexError": lambda rows: rows[:, 7],
    "when called again, but": lambda rows: np.random.default_rng().random(len(rows)),
    "when the row is alone, but": lambda rows: rows[:, 0] - rows[:, 0].mean(),
    "when the rows are in another order, but": lambda rows: (
        rows[:, 0] + np.arange(len(rows)) // 101
    ),
    r"evaluate\(\) raised .* returned violation -\d": lambda rows: (rows[:, 0], -rows[:, 1]),
}


@pytest.mark.parametrize("words", EVALUATE)
def test_faults_of_evaluate_are_found(words):
    found_out(check, EVALUATE[words], words, backend="cpu")


def test_violations_of_a_batch_are_found():
    def evaluate(rows):
        return rows[:, 0], rows[:, 1] * len(rows)

    found_out(check, evaluate, r"evaluate\(\) returns violation .* alone", backend="cpu")


PREFIX = r"begin\(\), append\(\) and cost\(\) give cost \d+ for \[.*evaluate\(\) returns \d"
EXCESS = r"begin\(\), append\(\) and cost\(\) give violation \d+ for \[.*evaluate\(\) returns \d"
MEMBERS = {
    "begin": (Tardy, 7, "return {0, 0};", "return {0, 1};", PREFIX),
    "append": (Tardy, 7, "state.time > due[item]", "state.time > due[0]", PREFIX),
    "cost": (Tardy, 7, "return state.late;", "return state.late + (state.time > 40);", PREFIX),
    "violation": (Flow, "", "b.first == a.last + 1", "b.first > a.last", EXCESS),
    "end": (
        Flow, SUFFIX, "State end() const { return begin(); }",
        "State end() const { return {0, 0, 2, 0, 7, 7}; }", r"join\(\) or end\(\) is wrong",
    ),
    "prepend": (
        Flow, SUFFIX, "both(single(item), state)", "both(state, single(item))",
        r"prepend\(\) or join\(\) is wrong: the prefix \[.*\] joined to the suffix \[.*has cost",
    ),
    "join": (
        Flow, SUFFIX, "return cost(both(a, b));",
        "auto c = cost(both(a, b)); c.excess = a.excess + b.excess; return c;",
        r"prepend\(\) or join\(\) is wrong: .* has violation \d, but \d if",
    ),
    "concatenate": (
        Flow, SEGMENTS, "{ return both(a, b); }",
        "{ State c = both(a, b); c.cost += a.last == 1 && b.first == 2; return c; }",
        r"concatenate\(a, b c\) has cost \d+ for a = \[.*\], b = \[.*\], c = \[.*but \d+ if",
    ),
    "associative": (
        Flow, SEGMENTS, "{ return both(a, b); }",
        "{ State c = both(a, b); c.weight = a.weight; return c; }",
        r"concatenate\(concatenate\(a, b\), c\) has|concatenate\(a, concatenate\(b, c\)\) has",
    ),
    "neutral": (
        Flow, SEGMENTS, "if (b.first < 0) return a;", "",
        r"concatenate\(concatenate\(a, b\), c\) has violation \d for a = \[.*\], b = \[\]",
    ),
    "head": (Two, "before > left", "before < left", r"head\(\), finish\(\) and cost_of\(\) give"),
    "finish": (Two, "return last;", "return last + 1;", r"head\(\), finish\(\) and cost_of\(\)"),
    "cost_of": (Two, "return total;", "return -total;", r"head\(\), finish\(\) and cost_of\(\)"),
    "tail": (Two, "after > right", "after < right", r"tail\(\) or meet\(\) is wrong"),
    "meet": (Two, "head + tail > most", "head > most", r"tail\(\) or meet\(\) is wrong"),
    "meet, alone": (Two, "head + tail > most", "false", r": meet\(\) is wrong"),
    "pair": (Pairs, "first > second", "first >= second - 1", r"pair\(\), summed over all pairs"),
}  # fmt: skip


@pytest.mark.parametrize("member", slow_after(5, MEMBERS))
def test_faults_of_members_are_found(member):
    kind, *arguments, words = MEMBERS[member]
    found_out(check, kind(*arguments), words, backend="cpu")


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("State append", "State apend", r"its functor raised CompilationError: .*append\(const"),
        ("times[item]", "times[item + (1LL << 52)]", "its functor ended the process with SIG"),
        ("state.time += times", "while (item < 9); state.time += times", "did not finish"),
    ],
)
def test_functors_that_do_not_run_are_found(right, wrong, words, monkeypatch):
    if "finish" in words:
        monkeypatch.setattr("gpu_ls_plugin.testing.subject.PATIENCE", 1.0)
    found_out(check, Tardy(7, right, wrong), f"(?s){words}", backend="cpu")


class Falling(Tardy):
    """A cost that an item may lower, although the struct claims kRegular."""

    def evaluate(self, rows):
        return super().evaluate(rows) - 9 * self.times[rows[:, -1]]

    def source(self):
        text = super().source().replace("time, late;", "time, late, last;")
        text = text.replace("{0, 0}", "{0, 0, 0}").replace("return state;", "@ return state;")
        return text.replace("@", "state.last = times[item];").replace(
            "return state.late;", "return state.late - 9 * state.last;"
        )


def test_false_claims_of_regularity_are_found():
    words = r"kRegular is true, but append\(\) of item \d to \[.*\] lowers the cost from"
    found_out(check, Falling(), words, backend="cpu")


def test_a_functor_without_a_name_or_a_text_is_found():
    objective = Tardy()
    objective.functor = lambda: ""
    found_out(check, objective, r"source\(\) returns C\+\+, but functor\(\) no name")
    objective = Tardy()
    objective.text = ""
    found_out(check, objective, r"its functor raised FaultyPartError: .*source\(\) is empty")


def test_faults_that_only_searches_show_are_found():
    """Searches call `head`; `append`, which would call it, is hidden by one that is right."""
    part = Two("left) + times", "left) - machine + times")
    part.text = part.text.replace(
        "  GLS_DEVICE int head",
        """  GLS_DEVICE State append(State state, int item) const {
    state.at[0] += times[2 * item];
    state.at[1] = (state.at[0] > state.at[1] ? state.at[0] : state.at[1]) + times[2 * item + 1];
    state.total = state.at[1], state.last = item;
    return state;
  }
  GLS_DEVICE int head""",
    )
    words = "a search raised FaultyPartError: objective: Two computes .* but evaluate"
    found_out(check, part, words, backend="cpu")


def test_searches_without_further_members_are_compared(monkeypatch):
    monkeypatch.setattr(f"{FUNCTOR}._expect_regular", lambda *_: None)
    words = r"a search finds \[.*\], but \[.*\] without kRegular"
    found_out(check, Falling(20), words, n=20, backend="cpu")


@pytest.mark.parametrize(
    ("objective", "problem", "words"),
    [
        (3, gls.Sequence(7, Tardy()), "objective: 3 is neither a SequenceObjective"),
        (Tardy, gls.Sequence(7, Tardy()), "is neither a SequenceObjective"),
        (Tardy(), 7, "problem: 7 is not a sequence problem"),
    ],
)
def test_arguments_of_other_types_are_refused(objective, problem, words):
    with pytest.raises(InvalidTypeError, match=words):
        check_sequence_objective(objective, problem)
