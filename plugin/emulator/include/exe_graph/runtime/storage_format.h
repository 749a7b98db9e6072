// Origin and storage format of a tensor.
#pragma once

#include "exe_graph/runtime/expand_dims_type.h"
#include "graph/types.h"

#pragma GCC visibility push(default)

namespace gert {

// api: StorageFormat | - | - | inferred: no public reference
class StorageFormat {
 public:
  StorageFormat();
  StorageFormat(ge::Format origin, ge::Format storage);

  ge::Format GetOriginFormat() const;
  ge::Format GetStorageFormat() const;
  void SetOriginFormat(ge::Format format);
  void SetStorageFormat(ge::Format format);
  StorageFormat(ge::Format origin, ge::Format storage, const ExpandDimsType& expand)
      : origin_(origin), storage_(storage), expand_(expand) {}
  ExpandDimsType GetExpandDimsType() const { return expand_; }
  void SetExpandDimsType(const ExpandDimsType& expand) { expand_ = expand; }
  ExpandDimsType& MutableExpandDimsType() { return expand_; }
  bool operator==(const StorageFormat& other) const {
    return origin_ == other.origin_ && storage_ == other.storage_ && expand_ == other.expand_;
  }
  bool operator!=(const StorageFormat& other) const { return !(*this == other); }

 private:
  ge::Format origin_;
  ge::Format storage_;
  ExpandDimsType expand_;
};

}  // namespace gert

#pragma GCC visibility pop
