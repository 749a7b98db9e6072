// What an operator is to graphs, as REG_OP declares it: accepted, and of no consequence where there is no graph.
#pragma once

#include "graph/types.h"

namespace npu_emu::host {
struct GraphOperator {
  GraphOperator Ignored() const { return *this; }
};
}  // namespace npu_emu::host

// api: REG_OP, INPUT, OPTIONAL_INPUT, DYNAMIC_INPUT, OUTPUT, DYNAMIC_OUTPUT, ATTR, REQUIRED_ATTR, DATATYPE,
//   OP_END_FACTORY_REG | - | - | inferred: no effect
#define REG_OP(op_type)                                                                   \
  [[maybe_unused]] static const ::npu_emu::host::GraphOperator graph_operator_##op_type = \
      ::npu_emu::host::GraphOperator()
#define INPUT(...) Ignored()
#define OPTIONAL_INPUT(...) Ignored()
#define DYNAMIC_INPUT(...) Ignored()
#define OUTPUT(...) Ignored()
#define DYNAMIC_OUTPUT(...) Ignored()
#define ATTR(...) Ignored()
#define REQUIRED_ATTR(...) Ignored()
#define DATATYPE(...) Ignored()
#define OP_END_FACTORY_REG(op_type) Ignored();
