"""The default settings and stages of `solve` for routes, and their reports."""
