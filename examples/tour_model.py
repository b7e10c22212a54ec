"""An attention model in plain torch that learns to draw tours from their improved versions.

The model draws a tour of each random instance, city by city. One call of `gls.torch.improve`
improves all tours on the model's device, and the model learns to draw the improved tours instead.
The script prints the mean lengths of drawn and of improved tours while the model learns.
"""

import torch
from torch import nn

import gpu_ls_plugin as gls


def scores_after(scores, rows):
    """Return the scores (B, k, n) of the next city after each of the first k cities of tours."""
    visited = nn.functional.one_hot(rows, scores.shape[2]).cumsum(dim=1) > 0
    steps = scores.gather(1, rows[:, :, None].expand(-1, -1, scores.shape[2]))
    return steps.masked_fill(visited, -torch.inf)


@torch.no_grad()
def draw(scores):
    """Return tours (B, n) that begin at city 0; the next city is drawn by its score."""
    rows = torch.zeros(len(scores), 1, dtype=torch.int64, device=scores.device)
    while rows.shape[1] < scores.shape[2]:
        following = scores_after(scores, rows)[:, -1].softmax(dim=1)
        rows = torch.cat([rows, torch.multinomial(following, 1)], dim=1)
    return rows


torch.manual_seed(1)
torch.set_num_threads(1)  # on a CPU, tensors as small as these do not gain from more threads
device = "cuda" if torch.cuda.is_available() else "cpu"
layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
encoder = nn.Sequential(nn.Linear(2, 64), nn.TransformerEncoder(layer, 2)).to(device)
query = nn.Linear(64, 64).to(device)
optimiser = torch.optim.Adam([*encoder.parameters(), *query.parameters()], lr=1e-3)

for step in range(101):
    points = torch.rand(64, 20, 2, device=device)  # 64 instances with 20 cities
    cities = encoder(points)
    scores = query(cities) @ cities.transpose(1, 2) / 8  # of each step from a city to another
    drawn = draw(scores)
    improved = gls.torch.improve(points, drawn, seed=step)
    if step % 20 == 0:
        length = gls.torch.improve(points, drawn, moves=0).costs.mean()  # without a move
        print(f"step {step}: drawn {length:.3f}, improved {improved.costs.mean():.3f}")
    following = scores_after(scores, improved.rows[:, :-1])
    loss = nn.functional.cross_entropy(following.flatten(0, 1), improved.rows[:, 1:].flatten())
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
