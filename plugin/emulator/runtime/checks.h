// Every finding that the device can raise: what it means, how severe it is, and why.
#pragma once

namespace npu_emu {

enum class Severity { Error, Warning };

struct Check {
  const char* code;
  Severity severity;
  const char* meaning;
  const char* why;  // of the severity
};

// An error can corrupt memory, hang or be rejected on a device. A warning only wastes, or merely looks odd.
constexpr Check checks[] = {
    // local memory
    {"ErrorRead1", Severity::Warning, "a tensor is read after FreeTensor", "it keeps its content until the buffer is allocated again; a race with the next owner is an error of its own"},
    {"ErrorRead2", Severity::Error, "local memory that nothing has written reaches an output or the scalar unit", "the result depends on what an earlier kernel left there"},
    {"ErrorRead3", Severity::Error, "an instruction reads past a buffer", "it reads another tensor, or nothing at all"},
    {"ErrorRead4", Severity::Error, "an operand that is read starts at an address the instruction cannot take", "the device stops, or reads from the aligned address below"},
    {"ErrorWrite1", Severity::Warning, "a tensor is written after FreeTensor", "it keeps its place until the buffer is allocated again; a race with the next owner is an error of its own"},
    {"ErrorWrite2", Severity::Error, "an instruction writes past a buffer", "it destroys another tensor"},
    {"ErrorWrite3", Severity::Warning, "what was copied in is copied over before anything has read it", "only time is lost, unless the first copy was meant to stay"},
    {"ErrorWrite4", Severity::Error, "an operand that is written starts at an address the instruction cannot take", "the device stops, or writes to the aligned address below"},
    {"ErrorBuffer0", Severity::Error, "a queue or buffer is used before InitBuffer", "it has no memory"},
    {"ErrorBuffer2", Severity::Warning, "a tensor is used while it is in its queue", "the bytes are there; where their order against other pipes matters, the race is an error of its own"},
    {"ErrorBuffer3", Severity::Error, "a tensor has no memory, comes from another queue, or lies in a memory the instruction does not reach", "the device stops, or works on other bytes"},
    {"ErrorBuffer4", Severity::Error, "a TBufPool is used before InitBufPool", "it has no memory"},
    {"UbOverflow", Severity::Warning, "the buffers take more than the memory has", "an excess that is never touched does no harm; touching it is an error of its own"},
    {"BufferSize", Severity::Error, "a buffer of a length that cannot be had, or too little temporary memory for a function of the library", "other data would be overwritten"},
    {"BufferLimit", Severity::Error, "more buffers than a TPipe manages", "the bookkeeping of TPipe overflows"},
    {"ReservedArea", Severity::Warning, "buffers reach into memory that the library writes to in this instruction", "only what the library writes there is lost, and only if the kernel keeps data just there"},
    {"OverlapForbidden", Severity::Warning, "source and destination overlap where the documentation forbids it", "Atlas A2 has read most elements before it writes them, another device or library might not; where data is lost the comparison shows it"},
    // queues
    {"ErrorFree", Severity::Error, "a tensor is freed twice", "the queue would hand it out twice"},
    {"ErrorLeak", Severity::Warning, "a tensor is never freed", "memory is given back when the kernel ends"},
    {"QueueEmpty", Severity::Error, "DeQue on an empty queue", "the core waits for ever"},
    {"QueueExhausted", Severity::Error, "AllocTensor while all buffers are in use", "the core waits for ever"},
    {"QueueOverflow", Severity::Error, "EnQue beyond the depth of the queue", "the queue loses a tensor"},
    {"QueueState", Severity::Error, "a tensor is enqueued twice, freed while in its queue, or enqueued after it was freed", "the bookkeeping of the queue breaks"},
    {"PipeTwice", Severity::Error, "a second TPipe while the first one lives", "both hand out the same memory and events"},
    // synchronisation
    {"ErrorSync1", Severity::Error, "a write that nothing orders after an access of another pipe, or of the same pipe where it does not keep the order", "either may come first on a device"},
    {"ErrorSync2", Severity::Error, "a read that nothing orders after a write", "the old or the new value may be read on a device"},
    {"ErrorSync3", Severity::Error, "set and wait do not pair", "the core waits for ever, or the next kernel meets a flag that is set"},
    {"ErrorSync4", Severity::Error, "a flag is set twice without a wait between", "the second set is lost or hangs"},
    {"EventId", Severity::Error, "an event id that does not exist, or none left", "the flag of another event is changed"},
    {"Deadlock", Severity::Error, "no core can go on", "the kernel hangs"},
    {"GmRace", Severity::Error, "two cores access the same global memory, one of them writes other values, and nothing orders them", "either may come first on a device"},
    {"CoreOrder", Severity::Error, "the outputs depend on the order in which cores run", "a device promises no order; a case that came out right by number is run again the other way round"},
    // global memory
    {"ErrorGmRead", Severity::Error, "a read outside of every tensor", "the device stops, or reads memory of others"},
    {"ErrorGmWrite", Severity::Error, "a write outside of every tensor", "the device stops, or memory of others is destroyed"},
    {"ErrorInputWrite", Severity::Error, "a write to an input", "the caller still needs it"},
    {"GmPadRead", Severity::Warning, "a read past the end of a tensor, inside its allocation", "allocations are padded to 512 bytes: the bytes exist, they only carry no data"},
    {"GmPadWrite", Severity::Warning, "a write past the end of a tensor, inside its allocation", "allocations are padded to 512 bytes: no other tensor is hit"},
    // parameters
    {"CastMode", Severity::Error, "a round mode that the pair of types does not have", "the instruction does not exist"},
    {"CompareCount", Severity::Error, "a comparison of a count that is no multiple of 256 bytes", "a device compares whole repeats only; the bits of the rest stay what they were"},
    {"CompareMode", Severity::Error, "an order where the type only has equality", "the instruction does not exist"},
    {"CopyRange", Severity::Error, "a field of a copy is out of range", "the device takes it modulo its width"},
    {"FixpipeQuant", Severity::Error, "a conversion of Fixpipe that does not fit the types", "the output has another type"},
    {"MaskRange", Severity::Warning, "a mask of more lanes than a repeat has", "the device leaves out lanes that it does not have; the computation is the one of the full mask"},
    {"ParameterRange", Severity::Error, "a parameter is out of the documented range", "the device takes it modulo its width, or does something else"},
    {"ReduceCount", Severity::Error, "a count that cannot be reduced", "the result is undefined"},
    {"RepeatRange", Severity::Error, "more repeats than the instruction has", "the device takes the number modulo 256"},
    {"TruncatedCopy", Severity::Warning, "a copy of a length that is no multiple of 32 bytes", "the device drops the rest without a word; the comparison shows whether it mattered"},
    {"Unsupported", Severity::Error, "the emulator or Atlas A2 cannot do this", "nothing can be said about the result"},
    // scalar unit
    {"DivisionByZero", Severity::Warning, "an integer is divided by zero", "a device goes on; operators divide by zero where they never use the result, and where they do the comparison shows it"},
    // launch
    {"Assert", Severity::Error, "the kernel stops itself", "it says so"},
    {"AssertIgnored", Severity::Warning, "the condition of an ASSERT does not hold", "the macro is empty on a device, which goes on; the comparison shows whether it mattered"},
    {"BlockDim", Severity::Error, "no block, or more than can be", "the launch is refused"},
    {"BlockDimWaves", Severity::Warning, "more blocks than cores", "blocks beyond the cores run in a second wave; only a barrier over all of them would hang"},
    {"InstructionLimit", Severity::Error, "more instructions, or more processor time, than any sensible kernel needs", "the kernel does not end"},
    {"UnknownSoc", Severity::Error, "a device that the emulator has no profile of", "the launch is refused"},
};

}  // namespace npu_emu
