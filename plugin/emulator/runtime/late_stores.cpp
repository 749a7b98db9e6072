#include "late_stores.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cross_core.h"
#include "device.h"

namespace npu_emu {

// More of them are not kept back at a time: each lets all other cores go on.
constexpr size_t storesLimit = 64;

void LateStores::keepBack(Kind kind, uint8_t* address, const uint8_t* content, uint32_t bytes, Release release) {
  if (stores_.size() == storesLimit) land(0);
  Store& store = stores_.emplace_back(Store{kind, bytes, address, {}, std::move(release)});
  std::memcpy(store.content.data(), content, bytes);
}

void LateStores::land(size_t index) {
  Store store = std::move(stores_[index]);
  stores_.erase(stores_.begin() + static_cast<ptrdiff_t>(index));
  std::memcpy(store.address, store.content.data(), store.bytes);
  if (store.kind == Kind::Word) return releaseWord(store.address, store.bytes, std::move(store.release));
  Release& release = device.releasedByLine[store.address];
  release.line = store.content;
  release.join(store.release);
}

void LateStores::landIfTouched(const uint8_t* begin, const uint8_t* end, bool isStorePastCache) {
  if (isLanding_) return;
  const bool isTouched = std::any_of(stores_.begin(), stores_.end(), [&](const Store& store) {
    return store.touches(begin, end) && !(isStorePastCache && store.kind == Kind::Line);
  });
  if (isTouched) landAll();
}

bool LateStores::holds(const uint8_t* begin, const uint8_t* end) const {
  return std::any_of(stores_.begin(), stores_.end(), [&](const Store& store) { return store.touches(begin, end); });
}

void LateStores::landAll() {
  if (isLanding_) return;
  isLanding_ = true;
  while (!stores_.empty()) {
    const auto line = std::find_if(stores_.begin(), stores_.end(), [](const Store& s) { return s.kind == Kind::Line; });
    land(stores_.back().kind == Kind::Word ? stores_.size() - 1 : static_cast<size_t>(line - stores_.begin()));
    if (!stores_.empty()) letOthersGoOn("DataSyncBarrier");
  }
  isLanding_ = false;
}

}  // namespace npu_emu
