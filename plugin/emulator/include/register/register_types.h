// Visibility of what the framework registers.
#pragma once

// api: FMK_FUNC_HOST_VISIBILITY, FMK_FUNC_DEV_VISIBILITY | - | - | documented
#define FMK_FUNC_HOST_VISIBILITY
#define FMK_FUNC_DEV_VISIBILITY
