// Small questions of tiling code.
#pragma once

#include "platform/soc_spec.h"
#include "register/op_impl_registry.h"

#pragma GCC visibility push(default)

namespace Ops {
namespace Base {

// False: the devices here have no register-based vector unit.
// api: IsRegbaseSocVersion, EnsureNotScalar | - | - | inferred: no public reference
bool IsRegbaseSocVersion(const gert::TilingParseContext* context);
bool IsRegbaseSocVersion(const gert::TilingContext* context);
// The shape itself, or [1] for a scalar.
const gert::Shape& EnsureNotScalar(const gert::Shape& shape);

}  // namespace Base
}  // namespace Ops

#pragma GCC visibility pop
