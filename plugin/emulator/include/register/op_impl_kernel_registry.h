#pragma once

#include "register/op_impl_registry.h"
