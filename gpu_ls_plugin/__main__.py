"""``python -m gpu_ls_plugin``: the command line."""

from gpu_ls_plugin.cli import main

raise SystemExit(main())
