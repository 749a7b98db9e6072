// What instructions take that isa.h does not declare, in cycles: for the instruction, and for functions of the library that are
// made of it.
#pragma once

#include <cstdint>

#include "ascendc/isa.h"

namespace npu_emu {

// The scalar unit, to issue an instruction: address arithmetic and mask set-up. Copies need less, meetings of cores even less.
constexpr uint8_t usualIssueCycles = 8, copyIssueCycles = 6, meetingIssueCycles = 4;
// To set a token of a queue, and to wait for it.
constexpr uint8_t tokenCycles = 2;

// The scalar unit: load and store of local memory, and access to global memory through the data cache.
constexpr uint32_t localReadCycles = 10, localWriteCycles = 3, cachedCycles = 5, missCycles = 350;
constexpr uint32_t dataCacheBytes = 32 * 1024, cacheLineBytes = 64;
constexpr uint32_t cleanLineCycles = 60, cleanCacheCycles = 600;
// One round of waiting for a word of global memory: a read past the cache. Of waiting for a flag of all cores: two.
constexpr uint32_t pollCycles = missCycles, pollAllCycles = 2 * missCycles;

// A queue of small copies sustains one per 20 cycles; one copy of many rows, one row per 8: measured with rows of 128 bytes.
constexpr uint32_t copyCycles = 20, copyRowCycles = 8;
// Where the layout changes on the way to L1: measured with 64 x 64 elements of 16 bits. A copy alone takes at least 780 cycles.
constexpr uint32_t convertRowCycles = 5, convertTail = 450;

constexpr Cost moveCost{1, 1, 11};
constexpr Cost castCost{1, 1, 19};
constexpr Cost compareCost{1, 1, 23};
constexpr Cost selectCost{2, 2, 14};
constexpr uint32_t maskRegisterCycles = 3, maskRegisterTail = 14;  // the mask of comparisons, read or written
constexpr Cost gatherCost{24, 12, 25};
constexpr uint32_t gatherBlocksCycles = 3;  // per repeat of eight gathered blocks
constexpr Cost keepCost{14, 14, 21};        // GatherMask
// Their tails: measured, of two and three that wait for each other.
constexpr Cost wholeCost{7, 7, 80}, blockCost{7, 1, 80}, pairCost{1, 1, 19};
constexpr uint32_t keepCycles = static_cast<uint32_t>(keepCost.c16);
constexpr uint32_t wholeCycles = static_cast<uint32_t>(wholeCost.c16);

// Sorting a row of 32, which is one repeat of pairs; merging takes as long for 32 pairs.
constexpr uint32_t sortCycles = 16, sortTail = 25;
// Transposing a square of 512 bytes.
constexpr uint32_t transposeCycles = 2, transposeTail = 25;
// A register of eight of its addresses, which the scalar unit reads one by one, and all four of them: estimated.
constexpr uint32_t addressRegisterCycles = 8, addressListsCycles = 4 * addressRegisterCycles;
// The end of a reduction of a whole tensor, on the scalar unit, without its flags.
constexpr uint32_t scalarEndCycles = 60;
// An Add that waits for the one before.
constexpr uint32_t dependentAddCycles = 22;

}  // namespace npu_emu
