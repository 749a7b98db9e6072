// Error-reporting macros of operator repositories. Messages go to standard error, which is kept with the result.
#pragma once

#include "log/log.h"
