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
#include "split_mix.h"

namespace npu_emu {

struct CoreContext {
  std::array<uint8_t*, memoryCount> memory{};
  std::array<uint32_t, memoryCount> capacity{};
  Fiber fiber;
  std::unique_ptr<LocalShadow> shadow;

  // Of that number among the contexts.
  explicit CoreContext(size_t number);
  // Whether its memories can be touched.
  void setAccessible(bool isAccessible);
  // Leaves nothing of the core before in its memories.
  void resetMemories();
  ~CoreContext();
  CoreContext(const CoreContext&) = delete;
  CoreContext& operator=(const CoreContext&) = delete;

 private:
  uint8_t* area_ = nullptr;
  size_t areaBytes_ = 0;
  bool isAccessible_ = true;
  bool isUsed_ = false;
};

// The contexts of a device, kept from launch to launch.
class CoreContexts {
 public:
  // The first that no core runs in: which one is the same on both sides of a launch.
  CoreContext* take();
  // One of the first `limit` that no core runs in.
  CoreContext* takeAny(SplitMix64& chance, size_t limit);
  void giveBack(CoreContext* context);

 private:
  std::vector<std::unique_ptr<CoreContext>> all_;  // none where no core has run yet
  std::vector<bool> isTaken_;

  CoreContext* take(size_t number);
};

}  // namespace npu_emu
