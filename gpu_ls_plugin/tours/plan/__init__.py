"""Plans, settings and pictures of tours, for `solve` and `gpu-ls`."""
