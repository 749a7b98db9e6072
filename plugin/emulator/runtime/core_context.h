// What a core needs to run: memories, their shadow, and a stack. Cores that do not wait for others take turns in one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core.h"
#include "fiber.h"
#include "launch.h"

namespace npu_emu {

struct CoreContext {
  std::array<uint8_t*, memoryCount> memory{};
  std::array<uint32_t, memoryCount> capacity{};
  Fiber fiber;
  std::unique_ptr<LocalShadow> shadow;

  CoreContext();
  ~CoreContext();
  CoreContext(const CoreContext&) = delete;
  CoreContext& operator=(const CoreContext&) = delete;

 private:
  uint8_t* area_ = nullptr;
  size_t areaBytes_ = 0;
};

// The contexts of a device, kept from launch to launch. What they hold is that of the last core.
class CoreContexts {
 public:
  // One that no core runs in.
  CoreContext* take();
  void giveBack(CoreContext* context) { idle_.push_back(context); }

 private:
  std::vector<std::unique_ptr<CoreContext>> all_;
  std::vector<CoreContext*> idle_;
};

}  // namespace npu_emu
