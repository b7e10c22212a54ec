"""Problems, results, limits, checks, files and errors, which all rooms share."""
