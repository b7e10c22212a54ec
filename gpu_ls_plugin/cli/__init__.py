"""The command ``gpu-ls``."""

from gpu_ls_plugin.cli.commands import main

__all__ = ["main"]
