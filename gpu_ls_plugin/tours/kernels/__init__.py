"""Memory layouts of tours in kernels, and kernels that compute costs."""
