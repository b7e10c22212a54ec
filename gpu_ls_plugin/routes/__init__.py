"""Vehicle routing: its data, its searches and its plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.tours.engines import services

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.engines.services import Service


def _linked_descent() -> Service:
    from gpu_ls_plugin.routes.engines.linked_service import SERVICE

    return SERVICE


services.of_other_domains.append(_linked_descent)
