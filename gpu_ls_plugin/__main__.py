"""``python -m gpu_ls_plugin``: the command line."""

from gpu_ls_plugin.cli.commands import main

raise SystemExit(main())
