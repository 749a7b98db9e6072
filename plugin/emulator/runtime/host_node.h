// The node that the functions of an operator library are called for, and how they are called.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "host.h"

namespace npu_emu::host {

constexpr size_t tilingCapacity = 64 * 1024;

struct Node {
  std::unique_ptr<ops::OpDef> definition;
  OperatorDescription description;
  std::unique_ptr<NodeState> state;
};
// Throws HostError when the case does not fit the operator.
Node makeNode(const TileRequest& request);

std::string statusText(ge::graphStatus status);

// What a function has misread since it was asked last; empty: nothing.
std::string takeMisread();

// Exceptions of candidate code become messages, as does what it has read of attributes that is not there.
template <class Call>
void guarded(const std::string& what, Call call) {
  ge::graphStatus status;
  takeMisread();
  try {
    status = call();
  } catch (const std::exception& error) {
    throw HostError{"the " + what + " threw: " + error.what()};
  }
  if (const std::string misread = takeMisread(); !misread.empty()) throw HostError{misread};
  if (status != ge::GRAPH_SUCCESS) throw HostError{"the " + what + " returned " + statusText(status)};
}

}  // namespace npu_emu::host
