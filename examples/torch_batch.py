"""Tours of many instances as tensors of torch: one call improves all of them.

Points, tours and improved tours stay on their device, the GPU if there is one. The script prints
the mean length of random tours of 500 instances, of the local optima, and of tours after kicks.
"""

import torch

import gpu_ls_plugin as gls

torch.manual_seed(1)
device = "cuda" if torch.cuda.is_available() else "cpu"
points = torch.rand(500, 100, 2, device=device)  # 500 instances with 100 cities
tours = torch.rand(500, 100, device=device).argsort(dim=1)  # a random tour of each


def lengths(points, tours):
    """Return the length of each tour."""
    cities = points.gather(1, tours[:, :, None].expand_as(points))
    return (cities - cities.roll(1, dims=1)).norm(dim=2).sum(dim=1)


print(f"random tours: {lengths(points, tours).mean():.3f}")
improved = gls.improve(points, tours, seed=1)
print(f"local optima: {improved.costs.mean():.3f}")
kicked = gls.improve(points, improved.rows, kicks=1000, seed=1)
print(f"after 1000 kicks each: {kicked.costs.mean():.3f}")
print(f"rows: {tuple(kicked.rows.shape)}, {kicked.rows.dtype}, {kicked.rows.device}")
