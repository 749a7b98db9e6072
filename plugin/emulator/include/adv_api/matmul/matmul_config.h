#pragma once

#include "ascendc/matmul_config.h"
