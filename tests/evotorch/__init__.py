"""What EvoTorch's adapter has beyond the suite of all adapters."""
