// Origin and storage format of a tensor.
#pragma once

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

 private:
  ge::Format origin_;
  ge::Format storage_;
};

}  // namespace gert

#pragma GCC visibility pop
