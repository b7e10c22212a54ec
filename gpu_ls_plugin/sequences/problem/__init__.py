"""Problems and objectives of sequences."""
