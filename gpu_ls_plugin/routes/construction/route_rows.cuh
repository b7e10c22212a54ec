// The rows that constructions of routes fill in.
#pragma once

#include "routes/problem/vehicles.cuh"

namespace gls {

struct RouteRows {
  const void* nodes_data;  // of the metric of depot and customers
  const uint64* vehicles;  // VehiclesData
  int* orders;             // the customers of every row, route after route
  unsigned char* begins;   // whether a route begins with the customer at a place
};

}  // namespace gls
