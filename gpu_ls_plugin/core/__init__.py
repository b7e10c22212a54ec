"""Problems, results, limits, checks, files and errors, which all other packages share."""
