// Names of memories, positions and events as Ascend C spells them, and what they stand for.
#include <algorithm>
#include <iterator>

#include "core.h"

namespace npu_emu {

const char* nameOf(Memory memory) {
  constexpr const char* names[] = {"UB", "L1", "L0A", "L0B", "L0C", "BT", "FB"};
  return names[static_cast<size_t>(memory)];
}

const char* nameOf(TPosition position) {
  constexpr const char* names[] = {"GM",  "A1",    "A2",     "B1",      "B2",  "C1",   "C2",        "CO1",
                                   "CO2", "VECIN", "VECOUT", "VECCALC", "SPM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
  return names[static_cast<size_t>(position)];
}

Memory memoryOf(TPosition position) {
  switch (position) {
    case TPosition::A1:
    case TPosition::B1:
    case TPosition::C1:
    case TPosition::TSCM:
    case TPosition::SPM: return Memory::L1;
    case TPosition::A2: return Memory::L0A;
    case TPosition::B2: return Memory::L0B;
    case TPosition::C2: return Memory::BT;
    case TPosition::CO1: return Memory::L0C;
    case TPosition::C2PIPE2GM: return Memory::FB;
    default: return Memory::UB;
  }
}

namespace {

struct EventName {
  EventPipes pipes;
  const char* name;
};

// In the order of HardEvent.
constexpr EventName events[] = {
    {{Pipe::MTE2, Pipe::MTE1}, "MTE2_MTE1"},
    {{Pipe::MTE1, Pipe::MTE2}, "MTE1_MTE2"},
    {{Pipe::MTE1, Pipe::M}, "MTE1_M"},
    {{Pipe::M, Pipe::MTE1}, "M_MTE1"},
    {{Pipe::MTE2, Pipe::V}, "MTE2_V"},
    {{Pipe::V, Pipe::MTE2}, "V_MTE2"},
    {{Pipe::MTE3, Pipe::V}, "MTE3_V"},
    {{Pipe::V, Pipe::MTE3}, "V_MTE3"},
    {{Pipe::M, Pipe::V}, "M_V"},
    {{Pipe::V, Pipe::M}, "V_M"},
    {{Pipe::V, Pipe::V}, "V_V"},
    {{Pipe::MTE3, Pipe::MTE1}, "MTE3_MTE1"},
    {{Pipe::MTE1, Pipe::MTE3}, "MTE1_MTE3"},
    {{Pipe::MTE1, Pipe::V}, "MTE1_V"},
    {{Pipe::MTE2, Pipe::M}, "MTE2_M"},
    {{Pipe::M, Pipe::MTE2}, "M_MTE2"},
    {{Pipe::V, Pipe::MTE1}, "V_MTE1"},
    {{Pipe::M, Pipe::FIX}, "M_FIX"},
    {{Pipe::FIX, Pipe::M}, "FIX_M"},
    {{Pipe::MTE3, Pipe::MTE2}, "MTE3_MTE2"},
    {{Pipe::MTE2, Pipe::MTE3}, "MTE2_MTE3"},
    {{Pipe::S, Pipe::V}, "S_V"},
    {{Pipe::V, Pipe::S}, "V_S"},
    {{Pipe::S, Pipe::MTE2}, "S_MTE2"},
    {{Pipe::MTE2, Pipe::S}, "MTE2_S"},
    {{Pipe::S, Pipe::MTE3}, "S_MTE3"},
    {{Pipe::MTE3, Pipe::S}, "MTE3_S"},
    {{Pipe::MTE2, Pipe::FIX}, "MTE2_FIX"},
    {{Pipe::FIX, Pipe::MTE2}, "FIX_MTE2"},
    {{Pipe::FIX, Pipe::S}, "FIX_S"},
    {{Pipe::M, Pipe::S}, "M_S"},
    {{Pipe::FIX, Pipe::MTE3}, "FIX_MTE3"},
    {{Pipe::MTE1, Pipe::FIX}, "MTE1_FIX"},
    {{Pipe::FIX, Pipe::MTE1}, "FIX_MTE1"},
    {{Pipe::FIX, Pipe::FIX}, "FIX_FIX"},
};
static_assert(sizeof events / sizeof *events == eventCount);

}  // namespace

EventPipes pipesOf(HardEvent event) { return events[static_cast<size_t>(event)].pipes; }
HardEvent eventOf(EventPipes pipes) {
  const auto isThis = [&](const auto& event) { return event.pipes.from == pipes.from && event.pipes.to == pipes.to; };
  return static_cast<HardEvent>(std::find_if(std::begin(events), std::end(events), isThis) - events);
}
const char* nameOf(HardEvent event) { return events[static_cast<size_t>(event)].name; }

}  // namespace npu_emu
