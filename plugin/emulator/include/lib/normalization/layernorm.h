// The normalisations are part of the device API here.
#pragma once

#include "kernel_operator.h"
