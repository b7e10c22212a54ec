"""Tours and cities as kernels hold them."""
