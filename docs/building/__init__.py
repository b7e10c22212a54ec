"""What makes a site of the documentation: pages beside those that are written, and their links."""
