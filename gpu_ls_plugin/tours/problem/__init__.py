"""Problems whose rows are tours, their metrics, objectives and files."""
