// How Matmul objects travel with a call. An object points to what its type fixes, which goes with it. Functions of the
// kernel stay where they are: the device reads on in the stream instead (see replay.h).
#pragma once

#include "../include/ascendc/matmul_object.h"
#include "wire.h"

namespace npu_emu {

// What the type of an object fixes, as long as the launch lasts.
const matmul::Traits* keptTraits(const matmul::Traits& traits);

template <>
struct Passed<matmul::Object&> {
  struct Held {
    matmul::Object object;
    matmul::Traits traits;
    bool hasTraits = false;
  };
  static void write(WireWriter& to, const matmul::Object& object) {
    to.plain(object);
    to.plain<uint8_t>(object.traits != nullptr);
    if (object.traits != nullptr) to.plain(*object.traits);
  }
  static void read(WireReader& from, Held& held) {
    from.bytes(&held.object, sizeof held.object);
    held.hasTraits = from.plain<uint8_t>() != 0;
    if (held.hasTraits) from.bytes(&held.traits, sizeof held.traits);
    else from.failed = true;
  }
  static matmul::Object& give(Held& held) {
    held.object.traits = keptTraits(held.traits);
    return held.object;
  }
};

}  // namespace npu_emu
