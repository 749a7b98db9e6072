// Messages of errors that the framework keeps: there are none.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/err_msg.h"

// api: ErrorManager | - | - | inferred: it keeps nothing
class ErrorManager {
 public:
  static ErrorManager& GetInstance() {
    static ErrorManager manager;
    return manager;
  }
  int Init() { return 0; }
  int ReportErrMessage(const std::string&, const std::map<std::string, std::string>&) { return 0; }
  int ReportInterErrMessage(const std::string&, const std::string&) { return 0; }
  void ATCReportErrMessage(const std::string&, const std::vector<std::string>& = {},
                           const std::vector<std::string>& = {}) {}
  std::string GetErrorMessage() { return ""; }
  std::string GetWarningMessage() { return ""; }
  const std::string& GetLogHeader() { return header_; }

 private:
  std::string header_;
};
