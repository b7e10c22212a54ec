"""Islands on Dask: populations that exchange their best rows, on many GPUs, machines or cores."""

from gpu_ls_plugin.distributed.cluster import local_cluster
from gpu_ls_plugin.distributed.exchange import ExchangeRule as Exchange
from gpu_ls_plugin.distributed.islands import Islands
from gpu_ls_plugin.distributed.progress import IslandLine, IslandProgress

__all__ = ["Exchange", "IslandLine", "IslandProgress", "Islands", "local_cluster"]
