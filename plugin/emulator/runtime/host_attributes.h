// From the attributes of a case to those a tiling function reads.
#pragma once

#include "host.h"

namespace npu_emu::host {

// `value` in the declared type of the attribute. Throws HostError when it has another one.
Attribute makeAttribute(const AttrRecord& record, const AttributeValue& value);

// One entry per declared attribute: the case's value by name, by position where the names differ and the numbers agree,
// otherwise the declared default. Throws HostError for an attribute that is not declared, or required and missing.
AttributeTable bindAttributes(const std::vector<AttrRecord>& records, const std::vector<AttributeArgument>& arguments);

}  // namespace npu_emu::host
