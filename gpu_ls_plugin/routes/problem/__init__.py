"""Vehicle routing problems: instances, giant tours, resources and files."""
