"""Metrics: distances between cities, most of them as TSPLIB95 defines them (Reinelt 1995).

A metric is a Python class, which computes exact lengths in NumPy, and a C++ functor, which computes
the same numbers in kernels. All arithmetic is IEEE float64 without fused multiply-adds, in the
order that the docstrings state, so that both agree to the last bit.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gpu_ls_plugin.backends.structs import constant, real_constant
from gpu_ls_plugin.core.exceptions import InvalidProblemError, InvalidTypeError
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.tours.problem.former_metrics import accept_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Cities = NDArray[np.integer[Any]]
    Lengths = NDArray[Any]  # int64 or float64
    Values = NDArray[Any]  # coordinates or matrix
    Real = NDArray[np.float64]

HEADER = "tours/problem/metric.cuh"
EARTH_RADIUS = real_constant(HEADER, "kEarthRadius")  # in km; TSPLIB calls it RRR
EARTH_MEAN_RADIUS = real_constant(HEADER, "kEarthMeanRadius")
TSPLIB_PI = 3.141592  # TSPLIB's PI: the published optima depend on its six decimals

INTEGER_LIMIT = 2.0**31  # integer lengths are below this: searches store them as int32
REAL_LIMIT = 2.0**62  # real lengths are below this, so that their squares are finite in float32
FLOAT32_ERROR = 2.0**-20  # error of a length in float32, relative to the largest length
EXACT_IN_FLOAT32 = 2**22  # float32 sums of four integers below this are exact
FLOAT32_STEPS = 1.5 * 2.0**-22  # error of a few float32 operations, relative to their result
FLOAT32_UNDERFLOW = 2.0**-60  # absolute error of a length whose square underflows in float32
SAMPLE = 2000  # number of pairs of cities in a sample
CHORD_ERROR = 2.0**-22  # error of half a chord of float32 unit vectors, and of its arc sine
MISTYPED = 0.01  # maximum share of numbers with minutes above 59; ali535.tsp has three
# Coefficients of a polynomial in q that approximates asin(sqrt(q)) / sqrt(q) for q <= 1/2. It was
# interpolated at 19 Chebyshev nodes; its error is 2e-17.
ARC_SINE = (
    *(1.0, 0.16666666666664987, 0.07500000000401816, 0.044642856762615),
    *(0.030381963396751827, 0.02237158477932034, 0.017364281439103738, 0.013803445895889175),
    *(0.013191002571780876, -0.0026015378484915597, 0.07871611357104659, -0.2968705430731295),
    *(1.008201665066121, -2.4908808126518656, 4.642068910038655, -6.229299875458771),
    *(5.757940831364953, -3.2789331567650155, 0.8892904367696558),
)


class Metric(ABC):
    """The lengths between cities.

    Instances hold no state, so two instances of a class are equal. A plugin derives a class, sets
    the class attributes, defines `lengths` and `slack`, and returns the C++ code of its functor
    from `source`.

    Methods get the `values` of a problem: coordinates, float64 (n, 2), or the matrix (n, n) if the
    metric is explicit. They need not check these values, and must not change them.

    Attributes
    ----------
    name : str
        Name in TSPLIB's spelling and in the registry, such as "EUC_2D".
    integer : bool
        Whether lengths are integers (int64, each below 2**31) or float64.
    explicit : bool
        Whether the lengths come from a matrix instead of coordinates.
    functor : str
        The C++ struct that computes the same lengths, such as "gls::Euc2D".
    header : str
        The file that defines the functor.
    fast_estimate : bool
        Whether the functor's estimate takes only a few instructions and reads only two points.
    site_bytes : int
        Size in bytes of the float32 coordinates of a city that the functor's estimate reads.
    tree_p : float
        Order of the Minkowski distance between `tree_points`.
    """

    name: ClassVar[str]
    integer: ClassVar[bool] = True
    explicit: ClassVar[bool] = False
    functor: ClassVar[str]
    header: ClassVar[str] = HEADER
    fast_estimate: ClassVar[bool] = False
    site_bytes: ClassVar[int] = constant("tours/problem/lengths.cuh", "kSiteBytes")
    tree_p: ClassVar[float] = 2.0

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        accept_values(cls)

    def source(self) -> str:
        """Return the C++ code of the functor; an empty string if `header` defines it."""
        return ""

    def check(self, values: NDArray[Any]) -> None:
        """Raise InvalidProblemError if the metric does not support `values`, which are finite."""

    def data(self, values: Values) -> NDArray[Any]:
        """Return the C-contiguous array that the functor reads; by default, `values`."""
        return values

    def rounds_away(self, coordinates: Real) -> bool:
        """Return whether rounding distorts the lengths; by default False."""
        return False

    @abstractmethod
    def lengths(self, values: Values, a: Cities, b: Cities) -> Lengths:
        """Return the exact lengths from cities `a` to cities `b`, elementwise.

        Parameters
        ----------
        values : float64 array (n, 2), or matrix (n, n)
            Coordinates of the cities, or the lengths between them.
        a, b : integer arrays that broadcast against each other
            Cities in 0..n-1, not checked; the two cities of a pair differ.

        Returns
        -------
        array of the broadcast shape, int64 if `integer`, else float64
        """

    @abstractmethod
    def slack(self, values: Values) -> float:
        """Return a bound on |estimate of the functor - exact length| over all pairs of cities."""

    def longest(self, values: Values) -> float:
        """Return a bound on all lengths; by default, infinity."""
        return math.inf

    def estimate_error(self, values: Values) -> tuple[float, float]:
        """Return (absolute, relative) bounds on the error of the estimate before rounding.

        An integer length is the rounded estimate unless the estimate is within
        absolute + relative * estimate of halfway between two integers. By default, the bounds are
        (`slack` minus the 0.5 for rounding, 0).
        """
        return self.slack(values) - (0.5 if self.integer else 0.0), 0.0

    def tree_points(self, values: Values) -> Real | None:
        """Return points (n, m) whose Minkowski distances of order `tree_p` grow with the lengths.

        Return None if there are no such points, as for a matrix.
        """
        return None

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def _nearest(values: Real) -> NDArray[np.int64]:
    """Return TSPLIB's nint of non-negative numbers: add one half, then truncate."""
    return (values + 0.5).astype(np.int64)


class Planar(Metric):
    """A metric of the plane: a real function of the differences (dx, dy), then rounded."""

    site_bytes = constant("tours/problem/lengths.cuh", "kPlanarSiteBytes")
    fast_estimate = True

    def real(self, dx: Real, dy: Real) -> Real:
        """Return the length before rounding; by default, sqrt(dx*dx + dy*dy)."""
        return np.sqrt(dx * dx + dy * dy)

    def rounded(self, values: Real) -> Lengths:
        """Return rounded real lengths; by default, the nearest integers."""
        return _nearest(values)

    def span(self, coordinates: Real) -> float:
        """Return the real length of the bounding box's diagonal: a bound on all lengths."""
        with np.errstate(over="ignore"):
            # Columns one by one: NumPy reduces the first axis of narrow arrays much more slowly.
            dx, dy = (np.ptp(column) for column in coordinates.T)
            return float(self.real(dx, dy))

    def check(self, values: NDArray[Any]) -> None:
        """Raise InvalidProblemError if lengths could overflow the number types of kernels."""
        limit = INTEGER_LIMIT - 1 if self.integer else REAL_LIMIT
        span = self.span(values)
        if not span < limit:
            raise InvalidProblemError(
                f"coordinates: {self.name} lengths of up to {span:.4g} would overflow: the limit "
                f"is {limit:.4g}; scale the coordinates down"
            )

    def rounds_away(self, coordinates: Real) -> bool:
        """Return whether rounding distorts the lengths of a sample of pairs of cities.

        It does if most lengths become 0 or 1, and the rounding errors add up to more than 10 % of
        the total length.
        """
        n = len(coordinates)
        if not self.integer or n < 2:
            return False
        random = np.random.default_rng(0)
        a, further = random.integers(n, size=SAMPLE), random.integers(1, n, size=SAMPLE)
        real = self.real(*(coordinates[a] - coordinates[(a + further) % n]).T)
        rounded = self.rounded(real)
        lost = np.abs(real - rounded).sum()
        return bool(np.mean(rounded <= 1) > 0.5 and lost > 0.1 * real.sum())

    def lengths(self, values: Values, a: Cities, b: Cities) -> Lengths:
        x, y = values.T
        return self.rounded(self.real(x[a] - x[b], y[a] - y[b]))

    def slack(self, values: Values) -> float:
        """Return a bound on |float32 estimate - exact length|, including 0.5 for rounding.

        The estimate is the real length, plus 0.5 if lengths are rounded up, minus 0.5 if down.
        """
        rounding = 0.5 if self.integer else 0.0
        return rounding + self.span(values) * FLOAT32_ERROR + FLOAT32_UNDERFLOW

    def longest(self, values: Values) -> float:
        """Return the real length of the bounding box's diagonal, plus 1 for rounding."""
        return self.span(values) + 1.0

    def estimate_error(self, values: Values) -> tuple[float, float]:
        """Return (absolute, relative) bounds on the error of the estimate before rounding.

        The absolute error comes from float32 coordinates, the relative one from the arithmetic.
        """
        from_first = values - values[0]
        lost = np.abs(from_first.astype(np.float32) - from_first).max()
        return 4.0 * float(lost) + FLOAT32_UNDERFLOW, FLOAT32_STEPS

    def tree_points(self, values: Values) -> Real | None:
        return values


class Euc2D(Planar):
    """TSPLIB's EUC_2D: nint(sqrt(dx*dx + dy*dy))."""

    name = "EUC_2D"
    functor = "gls::Euc2D"


class Ceil2D(Planar):
    """TSPLIB's CEIL_2D: sqrt(dx*dx + dy*dy), rounded up."""

    name = "CEIL_2D"
    functor = "gls::Ceil2D"

    def rounded(self, values: Real) -> Lengths:
        return np.ceil(values).astype(np.int64)


class Floor2D(Planar):
    """FLOOR_2D of LKH and VRPLIB: sqrt(dx*dx + dy*dy), rounded down."""

    name = "FLOOR_2D"
    functor = "gls::Floor2D"

    def rounded(self, values: Real) -> Lengths:
        return values.astype(np.int64)


class Att(Planar):
    """TSPLIB's ATT: r = sqrt((dx*dx + dy*dy) / 10.0), t = nint(r), t + 1 if t < r."""

    name = "ATT"
    functor = "gls::Att"

    def real(self, dx: Real, dy: Real) -> Real:
        """Return the pseudo-Euclidean length."""
        return np.sqrt((dx * dx + dy * dy) / 10.0)

    def rounded(self, values: Real) -> Lengths:
        """Return the nearest integers, increased by 1 if they are below the values."""
        nearest = _nearest(values)
        return nearest + (nearest < values)


class Man2D(Planar):
    """TSPLIB's MAN_2D: nint(|dx| + |dy|)."""

    name = "MAN_2D"
    functor = "gls::Man2D"
    tree_p = 1.0

    def real(self, dx: Real, dy: Real) -> Real:
        return np.abs(dx) + np.abs(dy)


class Max2D(Planar):
    """TSPLIB's MAX_2D: max(nint(|dx|), nint(|dy|)), which is nint(max(|dx|, |dy|))."""

    name = "MAX_2D"
    functor = "gls::Max2D"
    tree_p = math.inf

    def real(self, dx: Real, dy: Real) -> Real:
        return np.maximum(np.abs(dx), np.abs(dy))


class Euclidean(Planar):
    """Real Euclidean lengths: sqrt(dx*dx + dy*dy) in float64, not rounded."""

    name = "EUC"
    integer = False
    functor = "gls::Euclidean"

    def rounded(self, values: Real) -> Lengths:
        return values


class Globe(Metric):
    """A metric of great-circle distances in km between points (latitude, longitude)."""

    radius: ClassVar[float]  # of the Earth, in km
    form: ClassVar[str]  # format of the coordinates, for messages

    def check(self, values: NDArray[Any]) -> None:
        """Raise InvalidProblemError if a latitude or longitude is off the globe."""
        for column, (word, limit) in enumerate((("latitude", 90), ("longitude", 180))):
            wrong = np.flatnonzero(np.abs(values[:, column]) > limit)
            if wrong.size:
                raise InvalidProblemError(
                    f"coordinates: city {wrong[0]} has {word} {values[wrong[0], column]:g}, but "
                    f"{self.name} needs (latitude, longitude) in {self.form}, {word} in "
                    f"-{limit}..{limit}"
                )

    @abstractmethod
    def radians(self, values: Values) -> Real:
        """Return latitudes and longitudes (n, 2) in radians."""

    def unit_vectors(self, values: Values) -> Real:
        """Return the unit vectors (n, 3) of the cities, from the centre of the globe."""
        latitude, longitude = self.radians(values).T
        around = np.cos(latitude)
        return np.stack(
            [around * np.cos(longitude), around * np.sin(longitude), np.sin(latitude)], axis=1
        )

    def slack(self, values: Values) -> float:
        """Return a bound on |float32 estimate - exact length| in km.

        The estimate is 2 R asin(c / 2) for the chord c of two float32 unit vectors, plus 0.5 if
        lengths are integers. The arc sine magnifies the error of the chord, especially for
        antipodes. So the bound uses the slope of the arc sine at the longest possible chord.
        """
        points = self.unit_vectors(values)
        centre = points.sum(axis=0)
        centre /= max(float(np.linalg.norm(centre)), 1e-9)
        reach = 2.0 * math.acos(min(1.0, max(-1.0, float((points @ centre).min()))))
        end = min(1.0, math.sin(min(reach, math.pi) / 2.0) + CHORD_ERROR)
        steepest = math.asin(end) - math.asin(end - CHORD_ERROR)
        rounding = 0.5 if self.integer else 0.0
        return rounding + 2.0 * self.radius * (steepest + 2.0 * CHORD_ERROR)

    def longest(self, values: Values) -> float:
        """Return half of the Earth's circumference, plus 1 for rounding."""
        return math.pi * self.radius + 1.0

    def tree_points(self, values: Values) -> Real | None:
        """Return the unit vectors: their chords grow with the great-circle distances."""
        return self.unit_vectors(values)


class Geo(Globe):
    """TSPLIB's GEO: great-circle distances in km between (latitude, longitude) in DDD.MM.

    The digits after the point are minutes, pi is 3.141592, and the Earth's radius is 6378.388 km. A
    length is the truncated distance plus one. The distance is at least k km if the cosine, a dot
    product of unit vectors, is at most `reaches()[k]`.
    """

    name = "GEO"
    functor = "gls::Geo"
    radius = EARTH_RADIUS
    form = "DDD.MM"

    def check(self, values: NDArray[Any]) -> None:
        """Raise InvalidProblemError if a city is off the globe or too many minutes exceed 59."""
        super().check(values)
        minutes = 100.0 * np.abs(values - np.trunc(values))
        wrong = np.argwhere(minutes > 60.0 - 1e-6)
        if len(wrong) > MISTYPED * values.size:
            city, column = wrong[0]
            raise InvalidProblemError(
                f"coordinates: city {city} has {('latitude', 'longitude')[column]} "
                f"{values[city, column]:.10g}, but in GEO the digits after the point are minutes, "
                "and there are at most 59; for decimal degrees use the metric HAVERSINE"
            )

    def radians(self, values: Values) -> Real:
        """Return latitudes and longitudes (n, 2) in radians, with TSPLIB's pi."""
        degrees = np.trunc(values)
        minutes = values - degrees
        return TSPLIB_PI * (degrees + 5.0 * minutes / 3.0) / 180.0

    def data(self, values: Values) -> NDArray[Any]:
        """Return the unit vectors, then `reaches`: float64 (3 n + 20040,)."""
        return np.concatenate([self.unit_vectors(values).ravel(), self.reaches()])

    @staticmethod
    def reaches() -> Real:
        """Return, for each whole number of km, the cosine of the angle that spans this distance.

        Arc cosines of different libraries differ in their last digits, which would matter close to
        a whole number of km. Comparisons with these entries have the same result on every machine.
        """
        reaches: Real = np.cos(np.arange(math.floor(math.pi * EARTH_RADIUS) + 2) / EARTH_RADIUS)
        reaches[[0, -1]] = 2.0, -2.0  # sentinels: every cosine lies between them
        return reaches

    def lengths(self, values: Values, a: Cities, b: Cities) -> Lengths:
        x, y, z = self.unit_vectors(values).T
        cosine = x[a] * x[b] + y[a] * y[b] + z[a] * z[b]
        near = (EARTH_RADIUS * np.arccos(np.clip(cosine, -1.0, 1.0))).astype(np.int64)
        reaches = self.reaches()
        near += cosine <= reaches[near + 1]
        near -= cosine > reaches[near]
        lengths: Lengths = near + 1
        return lengths


class Haversine(Globe):
    """Great-circle distances in km, not rounded, between (latitude, longitude) in decimal degrees.

    The Earth is a sphere of radius R = 6371.0088 km. A length is 2 R asin(c / 2) for the chord c of
    two unit vectors u and v. For more than a quarter of the circumference, it is computed as
    2 R (pi / 2 - asin(d / 2)) with d = |u + v|, which loses no precision. Arc sines of different
    libraries differ in their last digits, so `ARC_SINE` is used instead.
    """

    name = "HAVERSINE"
    integer = False
    functor = "gls::Haversine"
    radius = EARTH_MEAN_RADIUS
    form = "decimal degrees"

    def radians(self, values: Values) -> Real:
        return np.radians(values)

    def data(self, values: Values) -> NDArray[Any]:
        """Return the unit vectors, then `ARC_SINE`: float64 (3 n + 19,)."""
        return np.concatenate([self.unit_vectors(values).ravel(), ARC_SINE])

    def lengths(self, values: Values, a: Cities, b: Cities) -> Lengths:
        (ux, uy, uz), (vx, vy, vz) = (self.unit_vectors(values).T[:, cities] for cities in (a, b))
        chord = (ux - vx) * (ux - vx) + (uy - vy) * (uy - vy) + (uz - vz) * (uz - vz)
        other = (ux + vx) * (ux + vx) + (uy + vy) * (uy + vy) + (uz + vz) * (uz + vz)
        far = chord > 2.0
        square = 0.25 * np.where(far, other, chord)
        series = np.full_like(square, ARC_SINE[-1])
        for coefficient in ARC_SINE[-2::-1]:
            series = series * square + coefficient
        half = np.sqrt(square) * series
        lengths: Lengths = 2.0 * self.radius * np.where(far, math.pi / 2 - half, half)
        return lengths


class ExplicitReal(Metric):
    """Lengths from a float64 matrix: entry (a, b) is the length from a to b if a and b differ."""

    name = "EXPLICIT_REAL"
    integer = False
    explicit = True
    functor = "gls::ExplicitReal"
    limit: ClassVar[float] = REAL_LIMIT

    def check(self, values: NDArray[Any]) -> None:
        """Raise InvalidProblemError if an entry of the matrix is negative or too large."""
        wrong = np.argwhere((values < 0) | (values >= self.limit))
        if wrong.size:
            row, column = wrong[0]
            raise InvalidProblemError(
                f"matrix: the length from city {row} to city {column} is "
                f"{values[row, column]:.10g}, but lengths must be at least 0 and below "
                f"{self.limit:.10g}; shift or scale the matrix"
            )

    def lengths(self, values: Values, a: Cities, b: Cities) -> Lengths:
        return values[a, b].astype(np.int64 if self.integer else np.float64, copy=False)

    def longest(self, values: Values) -> float:
        return float(values.max())

    def slack(self, values: Values) -> float:
        """Return a bound on |entry in float32 - entry|; 0 if sums of four are exact in float32."""
        longest = self.longest(values)
        if self.integer and longest < EXACT_IN_FLOAT32:
            return 0.0
        return longest * FLOAT32_ERROR + FLOAT32_UNDERFLOW


class Explicit(ExplicitReal):
    """TSPLIB's EXPLICIT: lengths from an int32 matrix, as in `ExplicitReal`."""

    name = "EXPLICIT"
    integer = True
    functor = "gls::ExplicitInteger"
    limit = INTEGER_LIMIT


ALIASES = {"EXACT_2D": Euclidean}  # names that LKH and VRPLIB use
ROOTLESS = ("MAN_2D", "MAX_2D")  # planar metrics without a square root
BUILT_IN_METRICS: dict[str, type[Metric]] = {
    metric.name: metric
    for metric in (
        *(Euc2D, Ceil2D, Floor2D, Att, Geo, Man2D, Max2D, Euclidean, Haversine),
        *(Explicit, ExplicitReal),
    )
}


def find_metric(metric: str | Metric) -> Metric:
    """Return the built-in or registered metric of this name; return a Metric unchanged."""
    if isinstance(metric, Metric):
        return metric
    if not isinstance(metric, str):
        raise InvalidTypeError(
            f"metric: {metric!r} is neither a name such as 'EUC_2D' nor a Metric instance"
        )
    factory = (
        BUILT_IN_METRICS.get(metric) or ALIASES.get(metric) or registry.lookup("metric", metric)
    )
    return factory()
