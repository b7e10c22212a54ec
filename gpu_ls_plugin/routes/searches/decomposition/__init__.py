"""Routes in parts: a problem is cut into smaller ones, which are searched side by side."""
