"""The operator of torch, and the functions for rl4co."""
