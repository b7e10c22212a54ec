"""An attention model that learns to draw tours from their improved versions.

A model in plain torch draws tours of random instances, city by city. `gpu_ls_plugin.torch.improve`
improves all tours of a step in one call, and the model learns to draw the improved tours instead.
Points, tours and improved tours stay on the device of the model. The script prints the mean length
of drawn and of improved tours while the model learns.

    python examples/tour_model.py --cities 50 --batch 512 --steps 2000 --device cuda
"""

from __future__ import annotations

import argparse

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

import gpu_ls_plugin as gls


class TourModel(nn.Module):
    """Scores the next city of a tour by attention from the last and the first one."""

    def __init__(self, width: int = 64, heads: int = 4, layers: int = 2) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, heads, 2 * width, dropout=0.0, batch_first=True)
        self.embed = nn.Linear(2, width)
        self.encoder = nn.TransformerEncoder(layer, layers)
        self.query = nn.Linear(3 * width, width)
        self.key = nn.Linear(width, width)

    def encode(self, points: Tensor) -> Tensor:
        """Return an embedding of each city, (B, n, width)."""
        embedded: Tensor = self.encoder(self.embed(points))
        return embedded

    def scores(self, cities: Tensor, first: Tensor, last: Tensor, visited: Tensor) -> Tensor:
        """Return the scores of the next cities (B, steps, n); those of visited ones are -inf.

        `first` and `last` (B, steps) are cities, `visited` (B, steps, n) are masks.
        """
        mean = cities.mean(dim=1, keepdim=True).expand(-1, first.shape[1], -1)
        context = torch.cat([taken(cities, first), taken(cities, last), mean], dim=-1)
        attention = self.query(context) @ self.key(cities).transpose(1, 2)
        scores = 10 * torch.tanh(attention / cities.shape[-1] ** 0.5)
        return scores.masked_fill(visited, -torch.inf)

    @torch.no_grad()
    def draw(self, points: Tensor) -> Tensor:
        """Return tours (B, n) that begin at city 0, each city drawn by its score."""
        cities = self.encode(points)
        rows = torch.zeros(points.shape[:2], dtype=torch.int64, device=points.device)
        visited = torch.zeros_like(rows, dtype=torch.bool)
        visited[:, 0] = True
        for step in range(1, rows.shape[1]):
            scores = self.scores(cities, rows[:, :1], rows[:, step - 1 : step], visited[:, None])
            drawn = torch.multinomial(scores[:, 0].softmax(dim=-1), 1)
            rows[:, step] = drawn[:, 0]
            visited.scatter_(1, drawn, True)
        return rows

    def loss(self, points: Tensor, rows: Tensor) -> Tensor:
        """Return the mean negative log-likelihood of the cities of tours, all steps at once."""
        before, following = rows[:, :-1], rows[:, 1:]
        visited = torch.zeros(*before.shape, rows.shape[1], dtype=torch.bool, device=rows.device)
        visited.scatter_(2, before[:, :, None], True)
        visited = visited.cumsum(dim=1) > 0
        first = rows[:, :1].expand_as(before)
        scores = self.scores(self.encode(points), first, before, visited)
        return cross_entropy(scores.flatten(0, 1), following.flatten())


def taken(values: Tensor, rows: Tensor) -> Tensor:
    """Return values (B, n, width) in the order of rows (B, steps)."""
    return values.gather(1, rows[:, :, None].expand(-1, -1, values.shape[-1]))


def lengths(points: Tensor, rows: Tensor) -> Tensor:
    """Return the lengths of tours (B,)."""
    ordered = taken(points, rows)
    return (ordered - ordered.roll(-1, dims=1)).norm(dim=-1).sum(dim=-1)


def begun_at_0(rows: Tensor) -> Tensor:
    """Return tours rotated so that they begin at city 0."""
    n = rows.shape[1]
    start = (rows == 0).int().argmax(dim=1, keepdim=True)
    return rows.gather(1, (start + torch.arange(n, device=rows.device)) % n)


def main() -> None:
    """Train a model."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cities", type=int, default=20)
    parser.add_argument("--batch", type=int, default=128, help="instances in a step")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--moves", type=int, default=None, help="limit of moves per tour")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    torch.set_num_threads(1)  # on a CPU, tensors as small as these do not gain from more
    model = TourModel().to(options.device)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(options.steps + 1):
        points = torch.rand(options.batch, options.cities, 2, device=options.device)
        rows = model.draw(points)
        improved = gls.torch.improve(points, rows, moves=options.moves, seed=options.seed + step)
        if step % max(1, options.steps // 10) == 0:
            drawn, better = lengths(points, rows).mean(), improved.costs.mean()
            print(f"step {step}: drawn {drawn:.3f}, improved {better:.3f}")
        loss = model.loss(points, begun_at_0(improved.rows))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()


if __name__ == "__main__":
    main()
