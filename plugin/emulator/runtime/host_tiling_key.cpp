// Template tiling keys on the host.
#include <cstdio>

#include "ascendc/host_api/tiling/template_argument.h"
#include "log/log.h"

namespace npu_emu::tpl {

uint64_t encodeKey(const Field* declared, size_t count, std::initializer_list<uint64_t> values) {
  using npu_emu::host::logError;
  if (values.size() != count) {
    logError("GET_TPL_TILING_KEY", "%zu values are given, %zu fields are declared", values.size(), count);
    return invalidKey;
  }
  uint64_t key = 0;
  unsigned shift = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t value = values.begin()[i];
    uint64_t code = 0;
    if (!declared[i].encode(value, code)) {
      logError("GET_TPL_TILING_KEY", "%s has no value %llu", declared[i].name, static_cast<unsigned long long>(value));
      return invalidKey;
    }
    key |= shift < 64 ? code << shift : 0;
    shift += declared[i].bits;
  }
  if (shift > 64) {
    logError("GET_TPL_TILING_KEY", "the fields take %u bits, a key has 64", shift);
    return invalidKey;
  }
  return key;
}

}  // namespace npu_emu::tpl
