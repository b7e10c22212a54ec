"""Routes in kernels, as linked lists."""
