#include "division.h"

#include <ucontext.h>

#include <cstdint>
#include <cstring>

#include "core.h"
#include "api_calls.h"

// Set by the linker: the first byte of this library, and the end of its code.
extern "C" [[gnu::visibility("hidden")]] const char __ehdr_start[], etext[];

namespace npu_emu {

// Other processors than x86 do not stop: their quotient by zero is 0, and the remainder is the dividend. That is what x86
// is made to compute here, so that a kernel does the same everywhere.
#if defined(__x86_64__)

namespace {

// Of DIV and IDIV: where the next instruction is, and what it divides by.
struct Division {
  const uint8_t* next = nullptr;  // null: another instruction, or a form that compilers do not use
  unsigned bits = 0;
  bool isSigned = false;
  uint64_t divisor = 0;
};

// In the order in which instructions number them.
constexpr int registers[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                             REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

uint64_t lowBits(uint64_t value, unsigned bits) { return bits == 64 ? value : value & ((uint64_t{1} << bits) - 1); }

class Decoder {
 public:
  Decoder(const greg_t* file, const uint8_t* at) : file_(file), at_(at) {}

  Division decode() {
    const bool narrow = *at_ == 0x66;
    if (narrow) ++at_;
    if ((*at_ & 0xF0) == 0x40) rex_ = *at_++;
    const uint8_t opcode = *at_++;
    const uint8_t form = *at_++;
    const unsigned operation = form >> 3 & 7;
    if ((opcode != 0xF6 && opcode != 0xF7) || operation < 6) return {};
    const unsigned bits = opcode == 0xF6 ? 8 : (rex_ & 8) != 0 ? 64 : narrow ? 16 : 32;
    Division division;
    division.bits = bits;
    division.isSigned = operation == 7;
    division.divisor = lowBits(form >> 6 == 3 ? registerOperand(form & 7, bits) : memoryOperand(form, bits), bits);
    division.next = at_;
    return division;
  }

 private:
  uint64_t value(unsigned number) const { return static_cast<uint64_t>(file_[registers[number]]); }

  uint64_t registerOperand(unsigned number, unsigned bits) const {
    const bool secondByte = bits == 8 && rex_ == 0 && number >= 4;  // AH, CH, DH, BH
    return secondByte ? value(number - 4) >> 8 : value(number | (rex_ & 1u) << 3);
  }

  template <typename T>
  int64_t displacement() {
    T read;
    std::memcpy(&read, at_, sizeof read);
    at_ += sizeof read;
    return read;
  }

  uint64_t memoryOperand(uint8_t form, unsigned bits) {
    const unsigned mode = form >> 6, base = form & 7;
    uint64_t address = 0;
    bool relative = false;
    if (base == 4) {
      const uint8_t scaled = *at_++;
      const unsigned index = (scaled >> 3 & 7u) | (rex_ & 2u) << 2;
      if (index != 4) address += value(index) << (scaled >> 6);
      if ((scaled & 7) == 5 && mode == 0) address += static_cast<uint64_t>(displacement<int32_t>());
      else address += value((scaled & 7u) | (rex_ & 1u) << 3);
    } else if (base == 5 && mode == 0) {
      relative = true;
      address = static_cast<uint64_t>(displacement<int32_t>());
    } else {
      address = value(base | (rex_ & 1u) << 3);
    }
    if (mode == 1) address += static_cast<uint64_t>(displacement<int8_t>());
    if (mode == 2) address += static_cast<uint64_t>(displacement<int32_t>());
    if (relative) address += reinterpret_cast<uint64_t>(at_);
    uint64_t read = 0;
    std::memcpy(&read, reinterpret_cast<const void*>(address), bits / 8);
    return read;
  }

  const greg_t* file_;
  const uint8_t* at_;
  uint8_t rex_ = 0;
};

void replaceLow(greg_t& whole, uint64_t value, unsigned bits) {
  const uint64_t kept =
      bits == 16 ? static_cast<uint64_t>(whole) & ~uint64_t{0xFFFF} : 0;  // 32 bits clear the upper half
  whole = static_cast<greg_t>(kept | lowBits(value, bits));
}

}  // namespace

bool completeDivision(void* signalContext) {
  if (core == nullptr) return false;
  greg_t* file = static_cast<ucontext_t*>(signalContext)->uc_mcontext.gregs;
  const auto* at = reinterpret_cast<const uint8_t*>(file[REG_RIP]);
  if (at >= reinterpret_cast<const uint8_t*>(__ehdr_start) && at < reinterpret_cast<const uint8_t*>(etext))
    return false;
  const Division division = Decoder(file, at).decode();
  if (division.next == nullptr) return false;
  const bool byZero = division.divisor == 0;
  const uint64_t dividend = static_cast<uint64_t>(file[REG_RAX]);
  // what is refused beside zeros is the least number by -1: it stays, as in any arithmetic that wraps
  const uint64_t quotient = byZero ? 0 : dividend, remainder = byZero ? dividend : 0;
  if (division.bits == 8) {
    replaceLow(file[REG_RAX], lowBits(quotient, 8) | lowBits(remainder, 8) << 8, 16);
  } else {
    replaceLow(file[REG_RAX], quotient, division.bits);
    replaceLow(file[REG_RDX], remainder, division.bits);
  }
  file[REG_RIP] = reinterpret_cast<greg_t>(division.next);
  if (byZero) {
    const CallPath where{division.next};
    setIssuedFrom(&where);
    Issued<&reportMisuse>::call(Check::DivisionByZero, "division", "an integer is divided by zero",
                                "divide only where the divisor is not zero");
    setIssuedFrom(nullptr);
  }
  return true;
}

#else

bool completeDivision(void*) { return false; }

#endif

}  // namespace npu_emu
