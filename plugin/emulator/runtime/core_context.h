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
  // Draws the order in which a launch takes them, of which `most` cores run at once.
  void draw(SplitMix64& chance, size_t most);
  // One that no core runs in: which one is the same on both sides of a launch. No kernel can go by it, or by its addresses: whether
  // a core has begun before others is not told. It is one of few, as memories that have just been used are in the caches of the machine.
  CoreContext* take(SplitMix64& chance);
  void giveBack(CoreContext* context);

 private:
  std::vector<std::unique_ptr<CoreContext>> all_;  // none where no core has run yet
  std::vector<bool> isTaken_;
  std::vector<size_t> order_;
};

}  // namespace npu_emu
