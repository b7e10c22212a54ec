"""Plans, settings and pictures of tours, as `solve` and `gpu-ls` use them."""
