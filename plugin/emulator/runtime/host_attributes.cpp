// From the attributes of a case to those a tiling function reads.
#include <cmath>
#include <utility>

#include "host_attributes.h"
#include "host_node.h"

namespace npu_emu::host {

namespace {

[[noreturn]] void mismatch(const AttrRecord& record) {
  throw HostError{"attribute " + std::string(record.name.GetString()) + " is declared as " + attrTypeName(record.type) +
                  ", the case has a value of another type"};
}

double number(const AttrRecord& record, const AttributeValue& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  mismatch(record);
}

int64_t integer(const AttrRecord& record, const AttributeValue& value) {
  if (const auto* exact = std::get_if<int64_t>(&value)) return *exact;
  const double real = number(record, value);
  if (real != std::floor(real)) mismatch(record);
  return static_cast<int64_t>(real);
}

const std::vector<double>& list(const AttrRecord& record, const AttributeValue& value) {
  if (const auto* values = std::get_if<std::vector<double>>(&value)) return *values;
  mismatch(record);
}

void setList(Attribute& entry, const void* data, size_t size) {
  entry.list = std::make_unique<gert::ContinuousVector>(data, size);
}

// An optional text or list that is declared without a default is an empty one; operator registration has no other default for them.
Attribute withoutValue(Attribute entry) {
  switch (entry.type) {
    case AttrType::ListInt:
    case AttrType::ListFloat:
    case AttrType::ListBool: setList(entry, nullptr, 0); [[fallthrough]];
    case AttrType::String: entry.present = true; break;
    default: break;
  }
  return entry;
}

}  // namespace

Attribute makeAttribute(const AttrRecord& record, const AttributeValue& value) {
  Attribute entry;
  entry.type = record.type;
  if (std::holds_alternative<std::monostate>(value)) return withoutValue(std::move(entry));
  entry.present = true;
  switch (record.type) {
    case AttrType::Int: entry.integer = integer(record, value); break;
    case AttrType::Float:
      entry.wide = number(record, value);
      entry.real = static_cast<float>(entry.wide);
      break;
    case AttrType::Bool: entry.flag = number(record, value) != 0; break;
    case AttrType::String: {
      const auto* text = std::get_if<std::string>(&value);
      if (text == nullptr) mismatch(record);
      entry.text = *text;
      break;
    }
    case AttrType::ListInt:
      for (const double item : list(record, value)) entry.integers.push_back(static_cast<int64_t>(item));
      setList(entry, entry.integers.data(), entry.integers.size());
      break;
    case AttrType::ListFloat:
      for (const double item : list(record, value)) entry.reals.push_back(static_cast<float>(item));
      setList(entry, entry.reals.data(), entry.reals.size());
      break;
    case AttrType::ListBool: {
      const auto& items = list(record, value);
      entry.flags = std::make_unique<bool[]>(items.size());
      for (size_t i = 0; i < items.size(); ++i) entry.flags[i] = items[i] != 0;
      setList(entry, entry.flags.get(), items.size());
      break;
    }
    default:
      throw HostError{"attribute " + std::string(record.name.GetString()) + " of type " + attrTypeName(record.type) +
                      " is not supported"};
  }
  return entry;
}

namespace {

const AttributeArgument* named(const std::vector<AttributeArgument>& arguments, const std::string& name) {
  for (const AttributeArgument& argument : arguments)
    if (argument.name == name) return &argument;
  return nullptr;
}

bool declares(const std::vector<AttrRecord>& records, const std::string& name) {
  for (const AttrRecord& record : records)
    if (record.name == name.c_str()) return true;
  return false;
}

std::string misread;

}  // namespace

void noteMisread(const std::string& problem) {
  if (misread.empty()) misread = problem;
}

std::string takeMisread() { return std::exchange(misread, {}); }

AttributeTable bindAttributes(const std::vector<AttrRecord>& records, const std::vector<AttributeArgument>& arguments) {
  const bool samePositions = records.size() == arguments.size();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (declares(records, arguments[i].name)) continue;
    const bool byPosition = samePositions && named(arguments, records[i].name.GetString()) == nullptr;
    if (!byPosition) throw HostError{"the operator declares no attribute " + arguments[i].name};
  }
  AttributeTable table;
  for (size_t i = 0; i < records.size(); ++i) {
    const AttributeArgument* argument = named(arguments, records[i].name.GetString());
    if (argument == nullptr && samePositions && !declares(records, arguments[i].name)) argument = &arguments[i];
    const bool given = argument != nullptr && !std::holds_alternative<std::monostate>(argument->value);
    if (!given && records[i].required)
      throw HostError{"attribute " + std::string(records[i].name.GetString()) + " is required, the case has no value"};
    table.entries.push_back(makeAttribute(records[i], given ? argument->value : records[i].value));
  }
  return table;
}

}  // namespace npu_emu::host
