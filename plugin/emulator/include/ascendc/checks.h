// Every finding that the device can raise: its code, its severity, what it means, and the reason for its severity. This
// is the only table of them: an unknown code does not compile, and docs/checks.md is generated from it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace npu_emu {

// An error can corrupt memory, hang or be rejected on a device. A warning wastes time or looks odd.
enum class Severity : uint8_t { Error, Warning };

// CHECK(code, severity, meaning, reason of the severity)
// clang-format off
#define NPU_EMU_CHECKS(CHECK)                                                                                       \
  /* local memory */                                                                                                \
  CHECK(ErrorRead1, Warning,                                                                                        \
        "a tensor is read after FreeTensor",                                                                        \
        "it keeps its content until the buffer is allocated again; a race with the next owner is an error of its "  \
        "own")                                                                                                      \
  CHECK(ErrorRead2, Error,                                                                                          \
        "memory that nothing has written reaches an output or the scalar unit, or an instruction depends on "       \
        "a register that nothing has set",                                                                          \
        "the result depends on what an earlier kernel left there: in local memory, in a workspace, in an output, "  \
        "or behind a tensor")                                                                                       \
  CHECK(ErrorRead3, Error,                                                                                          \
        "an instruction reads past a buffer",                                                                       \
        "it reads nothing at all where it leaves the memory; a warning where it stays inside UB, where it reads "   \
        "another tensor")                                                                                           \
  CHECK(ErrorRead4, Error,                                                                                          \
        "an operand that is read starts at an address the instruction cannot take",                                 \
        "the device stops, or reads from the aligned address below")                                                \
  CHECK(ErrorWrite1, Warning,                                                                                       \
        "a tensor is written after FreeTensor",                                                                     \
        "it keeps its place until the buffer is allocated again; a race with the next owner is an error of its "    \
        "own")                                                                                                      \
  CHECK(ErrorWrite2, Error,                                                                                         \
        "an instruction writes past a buffer",                                                                      \
        "it leaves the memory, or destroys another tensor; a warning where it stays inside UB and the owner of "    \
        "those bytes writes them anew before anything uses them")                                                   \
  CHECK(ErrorWrite3, Warning,                                                                                       \
        "what was copied in is copied over before anything has read it",                                            \
        "only time is lost, unless the first copy was meant to stay")                                               \
  CHECK(ErrorWrite4, Error,                                                                                         \
        "an operand that is written starts at an address the instruction cannot take",                              \
        "the device stops, or writes to the aligned address below")                                                 \
  CHECK(ErrorBuffer0, Error,                                                                                        \
        "a queue or buffer is used before InitBuffer",                                                              \
        "it has no memory")                                                                                         \
  CHECK(ErrorBuffer2, Warning,                                                                                      \
        "a tensor is used while it is in its queue",                                                                \
        "the bytes are there; where their order against other pipes matters, the race is an error of its own")      \
  CHECK(ErrorBuffer3, Error,                                                                                        \
        "a tensor has no memory, comes from another queue, or lies in a memory the instruction does not reach",     \
        "the device stops, or works on other bytes")                                                                \
  CHECK(ErrorBuffer4, Error,                                                                                        \
        "a TBufPool is used before InitBufPool",                                                                    \
        "it has no memory")                                                                                         \
  CHECK(UbOverflow, Warning,                                                                                        \
        "the buffers take more than the memory has",                                                                \
        "an excess that is never touched does no harm; touching it is an error of its own")                         \
  CHECK(BufferSize, Error,                                                                                          \
        "a buffer of a length that cannot be had, or a function of the library finds too little memory left in UB", \
        "other data would be overwritten")                                                                          \
  CHECK(BufferLimit, Error,                                                                                         \
        "more buffers than a TPipe manages",                                                                        \
        "the bookkeeping of TPipe overflows")                                                                       \
  CHECK(ReservedArea, Warning,                                                                                      \
        "buffers reach into memory that the library writes to in this instruction",                                 \
        "only what the library writes there is lost, and only if the kernel keeps data just there")                 \
  CHECK(OverlapForbidden, Warning,                                                                                  \
        "source and destination overlap where the documentation forbids it",                                        \
        "Atlas A2 has read most elements before it writes them, another device or library might not; where data "   \
        "is lost the comparison shows it")                                                                          \
  /* queues */                                                                                                      \
  CHECK(ErrorFree, Error,                                                                                           \
        "a tensor is freed twice",                                                                                  \
        "the queue would hand it out twice")                                                                        \
  CHECK(ErrorLeak, Warning,                                                                                         \
        "a tensor is never freed",                                                                                  \
        "memory is given back when the kernel ends")                                                                \
  CHECK(QueueEmpty, Error,                                                                                          \
        "DeQue on an empty queue",                                                                                  \
        "the core waits for ever")                                                                                  \
  CHECK(QueueExhausted, Error,                                                                                      \
        "AllocTensor while all buffers are in use",                                                                 \
        "the core waits for ever")                                                                                  \
  CHECK(QueueOverflow, Error,                                                                                       \
        "EnQue beyond the depth of the queue",                                                                      \
        "the queue loses a tensor")                                                                                 \
  CHECK(QueueState, Error,                                                                                          \
        "a tensor is enqueued twice, freed while in its queue, or enqueued after it was freed",                     \
        "the bookkeeping of the queue breaks")                                                                      \
  CHECK(PipeTwice, Error,                                                                                           \
        "a second TPipe while the first one lives",                                                                 \
        "both hand out the same memory and events")                                                                 \
  /* synchronisation */                                                                                             \
  CHECK(ErrorSync1, Error,                                                                                          \
        "a write that nothing orders after an access of another pipe, or of the same pipe where it does not keep "  \
        "the order",                                                                                                \
        "either may come first on a device")                                                                        \
  CHECK(ErrorSync2, Error,                                                                                          \
        "a read that nothing orders after a write",                                                                 \
        "the old or the new value may be read on a device")                                                         \
  CHECK(ErrorSync3, Error,                                                                                          \
        "set and wait do not pair",                                                                                 \
        "the core waits for ever, or the next kernel meets a flag that is set")                                     \
  CHECK(ErrorSync4, Error,                                                                                          \
        "a flag is set again without a wait between",                                                               \
        "its counter overflows; a warning for the flags of pipes, of which two sets before two waits are "          \
        "documented as undefined, and hang at a barrier of all pipes, which is an error of its own")                \
  CHECK(EventId, Error,                                                                                             \
        "an event id that does not exist, or none left",                                                            \
        "the flag of another event is changed, or the core waits for ever: a queue keeps one for each tensor that " \
        "it frees until that memory is allocated again")                                                            \
  CHECK(Deadlock, Error,                                                                                            \
        "no core can go on, or all pipes of one wait for each other",                                               \
        "the kernel hangs")                                                                                         \
  CHECK(GmRace, Error,                                                                                              \
        "two cores access the same global memory, one of them writes other values, and nothing orders them",        \
        "either may come first on a device")                                                                        \
  CHECK(CoreOrder, Error,                                                                                           \
        "the outputs depend on the order in which cores run",                                                       \
        "a device promises no order; a case that came out right by number is run again the other way round, and "   \
        "where cores meet by words in an order that is drawn")                                                      \
  CHECK(LateCopy, Error,                                                                                            \
        "the outputs depend on a copy that nothing waits for",                                                      \
        "a device carries it out later; a case that came out right is run again with copies as late as flags allow") \
  /* global memory */                                                                                               \
  CHECK(ErrorGmRead, Error,                                                                                         \
        "a read outside of every tensor",                                                                           \
        "the device stops, or reads memory of others")                                                              \
  CHECK(ErrorGmWrite, Error,                                                                                        \
        "a write outside of every tensor",                                                                          \
        "the device stops, or memory of others is destroyed")                                                       \
  CHECK(ErrorInputWrite, Error,                                                                                     \
        "a write to an input",                                                                                      \
        "the caller still needs it")                                                                                \
  CHECK(NotComputed, Error,                                                                                         \
        "right outputs of a kernel that has read nothing of an input which they follow from",                       \
        "they come from somewhere else: other values of that input would have other outputs")                       \
  CHECK(GmPadRead, Warning,                                                                                         \
        "a read past the end of a tensor, inside its allocation",                                                   \
        "allocations are padded to 512 bytes: the bytes exist, and may be anything (ErrorRead2 where they matter)") \
  CHECK(GmPadWrite, Warning,                                                                                        \
        "a write past the end of a tensor, inside its allocation",                                                  \
        "allocations are padded to 512 bytes: no other tensor is hit")                                              \
  /* parameters */                                                                                                  \
  CHECK(CastMode, Error,                                                                                            \
        "a round mode that the pair of types does not have",                                                        \
        "the instruction does not exist")                                                                           \
  CHECK(CompareCount, Warning,                                                                                       \
        "a comparison of a count that is no multiple of 256 bytes",                                                 \
        "a device compares whole repeats only; the bits of the rest stay what they were, and the comparison shows "  \
        "whether they mattered")                                                                                    \
  CHECK(CompareMode, Error,                                                                                         \
        "an order where the type only has equality",                                                                \
        "the instruction does not exist")                                                                           \
  CHECK(CopyRange, Error,                                                                                           \
        "a field of a copy is out of range",                                                                        \
        "the device takes it modulo its width")                                                                     \
  CHECK(FixpipeQuant, Error,                                                                                        \
        "a conversion of Fixpipe that does not fit the types",                                                      \
        "the output has another type")                                                                              \
  CHECK(MaskRange, Warning,                                                                                         \
        "a mask of more lanes than a repeat has",                                                                   \
        "the device leaves out lanes that it does not have; the computation is the one of the full mask")           \
  CHECK(ParameterRange, Error,                                                                                      \
        "a parameter is out of the documented range",                                                               \
        "the device takes it modulo its width, or does something else")                                             \
  CHECK(ReduceCount, Error,                                                                                         \
        "a count that cannot be reduced",                                                                           \
        "the result is undefined")                                                                                  \
  CHECK(RepeatRange, Error,                                                                                         \
        "more repeats than the instruction has",                                                                    \
        "the device takes the number modulo 256")                                                                   \
  CHECK(TruncatedCopy, Warning,                                                                                     \
        "a copy of a length that is no multiple of 32 bytes",                                                       \
        "the device drops the rest without a word; the comparison shows whether it mattered")                       \
  CHECK(Unsupported, Error,                                                                                         \
        "the emulator or Atlas A2 cannot do this",                                                                  \
        "nothing can be said about the result")                                                                     \
  /* scalar unit */                                                                                                 \
  CHECK(DivisionByZero, Warning,                                                                                    \
        "an integer is divided by zero",                                                                            \
        "a device goes on; operators divide by zero where they never use the result, and where they do the "        \
        "comparison shows it")                                                                                      \
  /* launch */                                                                                                      \
  CHECK(Assert, Error,                                                                                              \
        "the kernel stops itself",                                                                                  \
        "it says so")                                                                                               \
  CHECK(AssertIgnored, Warning,                                                                                     \
        "a condition does not hold that the library of the device only asserts",                                    \
        "its macro is empty on a device, which goes on; the comparison shows whether it mattered")                  \
  CHECK(BlockDim, Error,                                                                                            \
        "no block, or more than can be",                                                                            \
        "the launch is refused")                                                                                    \
  CHECK(BlockDimWaves, Warning,                                                                                     \
        "more blocks than cores",                                                                                   \
        "blocks beyond the cores run in a second wave, which nothing that waits for other cores lives to see")      \
  CHECK(HardCodedSize, Warning,                                                                                     \
        "more cores, or more of UB, than the platform has said",                                                    \
        "it is right on the device that its figures are of; on others it is slow, or does not run")                 \
  CHECK(InstructionLimit, Error,                                                                                    \
        "more instructions, or more processor time, than any sensible kernel needs",                                \
        "the kernel does not end")                                                                                  \
  CHECK(UnknownSoc, Error,                                                                                          \
        "a device that the emulator has no profile of",                                                             \
        "the launch is refused")                                                                                    \
  CHECK(InvalidStream, Error,                                                                                       \
        "the process of the kernel sends what no kernel can issue, or ends before the kernel does",                 \
        "what it says is not believed")                                                                             \
  /* namespace npu_emu */                                                                                           \
  /* host part */                                                                                                   \
  CHECK(HostWarning, Warning,                                                                                       \
        "the host part leaves a tiling field unset, asks for something without effect, or infers other outputs",    \
        "the launch takes the values that are there; the comparison shows whether they matter")                     \
  CHECK(TilingState, Error,                                                                                         \
        "the tiling function gives a case another tiling, which is wrong, once it was asked for other cases",       \
        "a program calls it for many shapes in one process: what it keeps of one is there for all that follow")
// clang-format on

enum class Check : uint8_t {
#define NPU_EMU_CODE(code, severity, meaning, why) code,
  NPU_EMU_CHECKS(NPU_EMU_CODE)
#undef NPU_EMU_CODE
};

constexpr size_t checkCount = []() constexpr {
  constexpr uint8_t counted[] = {
#define NPU_EMU_COUNTED(code, severity, meaning, why) 0,
      NPU_EMU_CHECKS(NPU_EMU_COUNTED)
#undef NPU_EMU_COUNTED
  };
  return sizeof counted;
}();

// The code as reports name it, e.g. "ErrorRead3".
constexpr const char* nameOf(Check check) {
  constexpr const char* names[] = {
#define NPU_EMU_NAME(code, severity, meaning, why) #code,
      NPU_EMU_CHECKS(NPU_EMU_NAME)
#undef NPU_EMU_NAME
  };
  return names[static_cast<uint8_t>(check)];
}

constexpr Severity severityOf(Check check) {
  constexpr Severity severities[] = {
#define NPU_EMU_SEVERITY(code, severity, meaning, why) Severity::severity,
      NPU_EMU_CHECKS(NPU_EMU_SEVERITY)
#undef NPU_EMU_SEVERITY
  };
  return severities[static_cast<uint8_t>(check)];
}

}  // namespace npu_emu
