// What a tiling-parse function sees: the platform, and the compile info object it fills in.
#pragma once

#include "exe_graph/runtime/extended_kernel_context.h"

#pragma GCC visibility push(default)

namespace fe {
class PlatFormInfos;
}

namespace gert {

// api: TilingParseContext | - | - | inferred: no public reference
class TilingParseContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;

  // An empty JSON object: there is no ahead-of-time compilation here.
  const char* GetCompiledJson() const;
  fe::PlatFormInfos* GetPlatformInfo() const;
  template <class T>
  T* GetCompiledInfo() {
    return static_cast<T*>(CompiledInfo());
  }

 private:
  void* CompiledInfo();
};

}  // namespace gert

#pragma GCC visibility pop
