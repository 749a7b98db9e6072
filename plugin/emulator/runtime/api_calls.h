// The calls that a kernel makes of the runtime, each with how it is written down and how it is carried out again.
//
// A kernel runs in a process that nobody trusts. There its calls lead to `Issued<f>::call`, which writes the call into
// the instruction stream and then carries it out on private memory, so that the kernel goes on with what it would read.
// The device is another process: it reads the stream and carries out `f` with the same arguments. Both are the same
// library, so that the numbers of calls are the same.
#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include "instruction_stream.h"
#include "wire.h"

namespace npu_emu {

struct ApiCall {
  const void* function;                  // what kernels name
  const void* issued;                    // what they call instead
  void (*carryOut)(WireReader& record);  // on the device; sets `failed` and calls nothing where the record does not fit
};

// By number. What is offered is complete when the library is loaded.
std::vector<ApiCall>& apiCalls();

template <auto f>
struct Issued;

template <typename R, typename... A, R (*f)(A...)>
struct Issued<f> {
  static inline uint16_t number = 0;

  static R call(A... arguments) {
    WireWriter record = beginRecord(number);
    (Passed<A>::write(record, arguments), ...);
    endRecord(record);
    return f(static_cast<A>(arguments)...);
  }

  static void carryOut(WireReader& record) { carryOut(record, std::index_sequence_for<A...>()); }

 private:
  template <size_t... i>
  static void carryOut(WireReader& record, std::index_sequence<i...>) {
    std::tuple<typename Passed<A>::Held...> held{};
    (Passed<A>::read(record, std::get<i>(held)), ...);
    if (record.failed || !record.isAtEnd()) {
      record.failed = true;
      return;
    }
    static_cast<void>(held);
    f(Passed<A>::give(std::get<i>(held))...);
  }
};

template <auto f>
void offer() {
  Issued<f>::number = static_cast<uint16_t>(apiCalls().size());
  apiCalls().push_back({reinterpret_cast<const void*>(f), reinterpret_cast<const void*>(&Issued<f>::call),
                        static_cast<void (*)(WireReader&)>(&Issued<f>::carryOut)});
}

// A function that only computes: kernels call it as it is.
template <typename F>
void offerAsItIs(F* function) {
  apiCalls().push_back({reinterpret_cast<const void*>(function), reinterpret_cast<const void*>(function), nullptr});
}

// What a file of the runtime offers: `const Offers<&f, &g> offers;`, and all functions in a constant tuple of pointers,
// which puts their instantiations into the library as well: `const OffersOf<functions> offers;`.
template <auto... f>
struct Offers {
  Offers() { (offer<f>(), ...); }
};

template <typename T>
constexpr bool isTuple = false;
template <typename... T>
constexpr bool isTuple<std::tuple<T...>> = true;

// Tuples of tuples of function pointers as one tuple.
template <typename... T>
constexpr auto flatten(std::tuple<T...> all);
template <typename T>
constexpr auto asTuple(T one) {
  if constexpr (isTuple<T>) return flatten(one);
  else return std::make_tuple(one);
}
template <typename... T>
constexpr auto flatten(std::tuple<T...> all) {
  return std::apply([](auto... each) { return std::tuple_cat(asTuple(each)...); }, all);
}

template <const auto& functions>
struct OffersOf {
  OffersOf() { offerAll(std::make_index_sequence<std::tuple_size_v<std::remove_reference_t<decltype(functions)>>>()); }

 private:
  template <size_t... i>
  static void offerAll(std::index_sequence<i...>) {
    (offer<std::get<i>(functions)>(), ...);
  }
};

}  // namespace npu_emu
