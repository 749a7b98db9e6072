// A string that crosses library borders.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace ge {

// api: AscendString | - | - | inferred: no public reference
class AscendString {
 public:
  AscendString();
  AscendString(const char* text);
  AscendString(const char* text, size_t length);
  AscendString(const AscendString& other);
  AscendString& operator=(const AscendString& other);
  ~AscendString();

  const char* GetString() const;
  size_t GetLength() const;
  size_t Find(const AscendString& part) const;
  size_t Hash() const;

  bool operator<(const AscendString& other) const;
  bool operator>(const AscendString& other) const;
  bool operator<=(const AscendString& other) const;
  bool operator>=(const AscendString& other) const;
  bool operator==(const AscendString& other) const;
  bool operator!=(const AscendString& other) const;
  bool operator==(const char* other) const;
  bool operator!=(const char* other) const;

 private:
  std::shared_ptr<std::string> text_;
};

}  // namespace ge

namespace std {
template <>
struct hash<ge::AscendString> {
  size_t operator()(const ge::AscendString& text) const { return text.Hash(); }
};
}  // namespace std

#pragma GCC visibility pop
