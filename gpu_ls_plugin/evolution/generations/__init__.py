"""What makes a population and its next generations."""
