// Conversion of floats to their bits and back.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

#ifdef __CUDACC__
GLS_DEVICE float bits_to_float(int bits) { return __int_as_float(bits); }
GLS_DEVICE int float_to_bits(float value) { return __float_as_int(value); }
#else
GLS_DEVICE float bits_to_float(int bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
GLS_DEVICE int float_to_bits(float value) {
  int bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
#endif

}  // namespace gls
