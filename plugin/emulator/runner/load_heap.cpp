#include "load_heap.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include <sys/mman.h>

namespace npu_runner {

namespace {

// Reserved, not used: static objects that own more keep what they own beyond it.
constexpr size_t capacity = size_t(64) << 20;

struct Heap {
  uint8_t* begin = nullptr;
  size_t used = 0;
  bool isOpen = false;

  void* take(size_t bytes, size_t alignment) {
    const size_t start = (used + alignment - 1) / alignment * alignment;
    if (start + bytes > capacity || start + bytes < start) return nullptr;
    used = start + bytes;
    return begin + start;
  }
  bool holds(const void* address) const { return begin != nullptr && address >= begin && address < begin + capacity; }
};
Heap heap;  // initialised before anything allocates: by constants alone

void* allocate(size_t bytes, size_t alignment) {
  if (heap.isOpen) [[unlikely]] {
    if (void* taken = heap.take(bytes, std::max(alignment, alignof(std::max_align_t)))) return taken;
  }
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes == 0 ? 1 : bytes);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* allocateOrThrow(size_t bytes, size_t alignment) {
  if (void* allocated = allocate(bytes, alignment)) return allocated;
  throw std::bad_alloc();
}

void release(void* address) {
  if (!heap.holds(address)) std::free(address);
}

}  // namespace

LoadHeapScope::LoadHeapScope() {
  if (heap.begin == nullptr) {
    void* memory = mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    heap.begin = static_cast<uint8_t*>(memory);
  }
  heap.isOpen = true;
}

LoadHeapScope::~LoadHeapScope() { heap.isOpen = false; }

void LoadHeapContent::keep() { bytes_.assign(heap.begin, heap.begin + heap.used); }

void LoadHeapContent::putBack() const {
  if (!bytes_.empty()) std::memcpy(heap.begin, bytes_.data(), bytes_.size());
}

}  // namespace npu_runner

// Those of the C++ library end up here as well: arrays, and forms that throw nothing.
void* operator new(size_t bytes) { return npu_runner::allocateOrThrow(bytes, 1); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  return npu_runner::allocateOrThrow(bytes, static_cast<size_t>(alignment));
}
void operator delete(void* address) noexcept { npu_runner::release(address); }
void operator delete(void* address, size_t) noexcept { npu_runner::release(address); }
void operator delete(void* address, std::align_val_t) noexcept { npu_runner::release(address); }
void operator delete(void* address, size_t, std::align_val_t) noexcept { npu_runner::release(address); }
