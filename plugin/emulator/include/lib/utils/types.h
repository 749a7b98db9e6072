#pragma once

#include "adv_api/utils/types.h"
