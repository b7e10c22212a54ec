"""Routes in kernels: as linked lists, and as giant tours that are rebuilt."""
