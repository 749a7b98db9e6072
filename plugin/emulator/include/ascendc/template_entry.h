// Kernels that are templates over the fields of their tiling key: every selected choice becomes one instance.
#pragma once

#include <utility>

#include "entry.h"
#include "host_api/tiling/template_argument.h"
#include "runtime_api.h"

namespace npu_emu {

#if defined(__DAV_C220_CUBE__)
constexpr bool isCubeBuild = true;
#else
constexpr bool isCubeBuild = false;
#endif

}  // namespace npu_emu

// A type by which the name of a function says which choice it calls: its key, then the values in the order of the declaration.
// Coverage reads it. In no namespace: functions of the kernel's own are not named after ours.
template <uint64_t... keyAndValues>
struct npu_emu_tpl_said;

namespace npu_emu::tpl {

template <class Choice, class Indices>
struct SaidBy;
template <class Choice, size_t... indices>
struct SaidBy<Choice, std::index_sequence<indices...>> {
  using type = npu_emu_tpl_said<Choice::key, Choice::template value<indices>...>;
};
template <class Choice, size_t count>
using SaidOf = typename SaidBy<Choice, std::make_index_sequence<count>>::type;

template <uint64_t id>
struct TypeOf;
template <>
struct TypeOf<0> {
  using type = float;
};
template <>
struct TypeOf<1> {
  using type = half;
};
template <>
struct TypeOf<2> {
  using type = int8_t;
};
template <>
struct TypeOf<3> {
  using type = int32_t;
};
template <>
struct TypeOf<4> {
  using type = uint8_t;
};
template <>
struct TypeOf<6> {
  using type = int16_t;
};
template <>
struct TypeOf<7> {
  using type = uint16_t;
};
template <>
struct TypeOf<8> {
  using type = uint32_t;
};
template <>
struct TypeOf<9> {
  using type = int64_t;
};
template <>
struct TypeOf<10> {
  using type = uint64_t;
};
template <>
struct TypeOf<11> {
  using type = double;
};
template <>
struct TypeOf<12> {
  using type = bool;
};
template <>
struct TypeOf<27> {
  using type = bfloat16_t;
};
template <>
struct TypeOf<29> {
  using type = AscendC::int4b_t;
};

constexpr uint64_t inputBias = 100000000, outputBias = 900000000;

// What the compiled combination of data types fixes: the numbers of its inputs and outputs.
struct Binding {
  const int32_t* inputs;
  size_t inputCount;
  const int32_t* outputs;
  size_t outputCount;
};

constexpr const Field* find(const Group& group, const char* name) {
  for (const Field& field : group.fields)
    if (field.kind != Kind::None && same(field.name, name)) return &field;
  return nullptr;
}

// Whether a declared type stands for that of a tensor, and which that is here.
constexpr bool boundType(const Field& declared, const Binding& binding, uint64_t& type) {
  if (declared.kind != Kind::Type) return false;
  for (size_t i = 0; i < declared.count; ++i) {
    uint64_t value = declared.values[i];
    if (value >= outputBias && value - outputBias < binding.outputCount)
      return type = static_cast<uint64_t>(binding.outputs[value - outputBias]), true;
    if (value >= inputBias && value < outputBias && value - inputBias < binding.inputCount)
      return type = static_cast<uint64_t>(binding.inputs[value - inputBias]), true;
  }
  return false;
}

constexpr bool runsOn(uint64_t kernelType, bool cube) {
  bool onlyVector = kernelType == ASCENDC_TPL_AIV_ONLY || kernelType == ASCENDC_TPL_MIX_AIV_1_0;
  bool onlyCube = kernelType == ASCENDC_TPL_AIC_ONLY || kernelType == ASCENDC_TPL_MIX_AIC_1_0;
  return cube ? !onlyVector : !onlyCube;
}

constexpr size_t combinations(const Field* declared, size_t count, const Group& group) {
  size_t total = 1;
  for (size_t i = 0; i < count; ++i) {
    const Field* field = find(group, declared[i].name);
    total *= field == nullptr ? declared[i].size() : field->size();
  }
  return total;
}

// The value of parameter `parameter` in combination `index` of a group; the last parameter varies fastest.
constexpr uint64_t valueOf(const Field* declared, size_t count, const Group& group, size_t index, size_t parameter) {
  for (size_t i = count; i-- > 0;) {
    const Field* selected = find(group, declared[i].name);
    const Field& field = selected == nullptr ? declared[i] : *selected;
    size_t size = field.size();
    if (i == parameter) return field.at(index % size);
    index /= size;
  }
  return 0;
}

// False for choices that cannot occur in this compilation.
constexpr bool enabled(const Field* declared, size_t count, const Group& group, size_t index, const Binding& binding,
                       bool cube) {
  for (const Field& field : group.fields) {
    if (field.kind == Kind::Deterministic && field.values[0] != 0) return false;
    if (field.kind == Kind::KernelType && !runsOn(field.values[0], cube)) return false;
  }
  for (size_t i = 0; i < count; ++i) {
    uint64_t value = valueOf(declared, count, group, index, i), bound = 0;
    if (value >= inputBias) return false;
    if (boundType(declared[i], binding, bound) && value != bound) return false;
    if (declared[i].kind == Kind::SharedKernelType && !runsOn(value, cube)) return false;
  }
  return true;
}

constexpr uint64_t keyOf(const Field* declared, size_t count, const Group& group, size_t index) {
  uint64_t key = 0;
  unsigned shift = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t code = 0;
    if (!declared[i].encode(valueOf(declared, count, group, index, i), code)) return invalidKey;
    key |= code << shift;
    shift += declared[i].bits;
  }
  return key;
}

constexpr int taskTypeOfSelection(uint64_t selected) {
  switch (selected) {
    case ASCENDC_TPL_AIV_ONLY: return KERNEL_TYPE_AIV_ONLY;
    case ASCENDC_TPL_AIC_ONLY: return KERNEL_TYPE_AIC_ONLY;
    case ASCENDC_TPL_MIX_AIV_1_0: return KERNEL_TYPE_MIX_AIV_1_0;
    case ASCENDC_TPL_MIX_AIC_1_0: return KERNEL_TYPE_MIX_AIC_1_0;
    case ASCENDC_TPL_MIX_AIC_1_1: return KERNEL_TYPE_MIX_AIC_1_1;
    case ASCENDC_TPL_MIX_AIC_1_2: return KERNEL_TYPE_MIX_AIC_1_2;
    default: return -1;
  }
}

// Whether any choice has a kernel type. Where none has, the tables are for the compiler only, and the library has none.
constexpr bool selectsTypes(const Field* declared, size_t count, const Group* selected, size_t groups) {
  for (size_t i = 0; i < count; ++i)
    if (declared[i].kind == Kind::SharedKernelType) return true;
  for (size_t i = 0; i < groups; ++i)
    for (const Field& field : selected[i].fields)
      if (field.kind == Kind::KernelType) return true;
  return false;
}

// The kernel type that a group selects for a tiling key of its own; below 0 where it selects none or has no such key.
inline int taskTypeIn(const Field* declared, size_t count, const Group& group, uint64_t key) {
  for (size_t index = 0, total = combinations(declared, count, group); index < total; ++index) {
    if (keyOf(declared, count, group, index) != key) continue;
    for (const Field& field : group.fields)
      if (field.kind == Kind::KernelType) return taskTypeOfSelection(field.values[0]);
    for (size_t i = 0; i < count; ++i)
      if (declared[i].kind == Kind::SharedKernelType)
        return taskTypeOfSelection(valueOf(declared, count, group, index, i));
  }
  return -1;
}

// `Choice<group, index>` is generated beside the kernel: whether it exists, its key, the call.
template <template <size_t, size_t> class Choice, size_t group, size_t index, size_t total>
inline bool callIn(uint64_t key, uint8_t* const* args) {
  if constexpr (index < total) {
    if constexpr (Choice<group, index>::exists) {
      if (key == Choice<group, index>::key) return Choice<group, index>::call(args), true;
    }
    return callIn<Choice, group, index + 1, total>(key, args);
  }
  return false;
}

}  // namespace npu_emu::tpl

// `choice` is a name that no kernel can know, `inputs` and `outputs` are arrays of data types that end with -1; `...` the template arguments in terms of
// `value<i>`.
#define NPU_EMU_TEMPLATE_CHOICE(choice, kernel, inputs, outputs, ...)                                                  \
  static constexpr const auto& npu_emu_tpl_declared = npu_emu_tpl_declaration(npu_emu::tpl::Turn<__COUNTER__>());      \
  static constexpr const auto& npu_emu_tpl_selected = npu_emu_tpl_selection(npu_emu::tpl::Turn<__COUNTER__>());        \
  constexpr size_t npu_emu_tpl_count = sizeof npu_emu_tpl_declared / sizeof *npu_emu_tpl_declared;                     \
  constexpr size_t npu_emu_tpl_groups = sizeof npu_emu_tpl_selected / sizeof *npu_emu_tpl_selected;                    \
  constexpr npu_emu::tpl::Binding npu_emu_tpl_binding = {inputs, sizeof inputs / sizeof *inputs - 1, outputs,          \
                                                         sizeof outputs / sizeof *outputs - 1};                        \
  template <size_t group, size_t index>                                                                                \
  struct choice {                                                                                                      \
    template <size_t parameter>                                                                                        \
    static constexpr uint64_t value =                                                                                  \
        npu_emu::tpl::valueOf(npu_emu_tpl_declared, npu_emu_tpl_count, npu_emu_tpl_selected[group], index, parameter); \
    static constexpr bool exists =                                                                                     \
        npu_emu::tpl::enabled(npu_emu_tpl_declared, npu_emu_tpl_count, npu_emu_tpl_selected[group], index,             \
                              npu_emu_tpl_binding, npu_emu::isCubeBuild);                                              \
    static constexpr uint64_t key =                                                                                    \
        npu_emu::tpl::keyOf(npu_emu_tpl_declared, npu_emu_tpl_count, npu_emu_tpl_selected[group], index);              \
    template <class = npu_emu::tpl::SaidOf<choice, npu_emu_tpl_count>>                                                 \
    static void call(uint8_t* const* args) {                                                                           \
      npu_emu::callKernel(kernel<__VA_ARGS__>, args);                                                                  \
    }                                                                                                                  \
  };                                                                                                                   \
  template <size_t group>                                                                                              \
  inline bool npu_emu_tpl_call(uint64_t key, uint8_t* const* args) {                                                   \
    if constexpr (group < npu_emu_tpl_groups) {                                                                        \
      constexpr size_t total =                                                                                         \
          npu_emu::tpl::combinations(npu_emu_tpl_declared, npu_emu_tpl_count, npu_emu_tpl_selected[group]);            \
      if (npu_emu::tpl::callIn<choice, group, 0, total>(key, args)) return true;                                       \
      return npu_emu_tpl_call<group + 1>(key, args);                                                                   \
    }                                                                                                                  \
    return false;                                                                                                      \
  }                                                                                                                    \
  inline int npu_emu_tpl_type([[maybe_unused]] uint64_t key) {                                                         \
    if constexpr (npu_emu::tpl::selectsTypes(npu_emu_tpl_declared, npu_emu_tpl_count, npu_emu_tpl_selected,            \
                                             npu_emu_tpl_groups)) {                                                    \
      for (const npu_emu::tpl::Group& group : npu_emu_tpl_selected) {                                                  \
        int type = npu_emu::tpl::taskTypeIn(npu_emu_tpl_declared, npu_emu_tpl_count, group, key);                      \
        if (type >= 0) return type;                                                                                    \
      }                                                                                                                \
    }                                                                                                                  \
    return NPU_EMU_QUALIFIED_TYPE;                                                                                     \
  }

#define NPU_EMU_TEMPLATE_ENTRY(parameters, types)                                       \
  NPU_EMU_EXPORT const unsigned npu_emu_abi;                                            \
  NPU_EMU_EXPORT const unsigned npu_emu_arity;                                          \
  const unsigned npu_emu_abi = npu_emu::abiVersion;                                     \
  const unsigned npu_emu_arity = parameters;                                            \
  NPU_EMU_IDLE                                                                          \
  NPU_EMU_EXPORT int npu_emu_task_type(uint64_t key) {                                  \
    return npu_emu::taskTypeOf(key, types.begin(), types.end(), npu_emu_tpl_type(key)); \
  }                                                                                     \
  NPU_EMU_EXPORT void npu_emu_entry(uint8_t* const* args) {                             \
    if (!npu_emu_tpl_call<0>(npu_emu::tilingKey(), args)) npu_emu::unknownTilingKey();  \
  }
