"""Scopes of the rows of a batch, as C++ types, and the kernel parameters that they need."""

from __future__ import annotations

from gpu_ls_plugin.backends.structs import struct_of

HEADER = "tours/engines/scopes.cuh"
WHOLE_TOUR, TOUR_PART, OWN_INSTANCE = "gls::WholeTour", "gls::TourPart", "gls::OwnInstance"
PROBLEMS = {  # parameters of kernels, by scope
    WHOLE_TOUR: (),
    TOUR_PART: (struct_of(HEADER, "PartsOfTours"),),
    OWN_INSTANCE: (struct_of(HEADER, "OwnInstances"),),
}
