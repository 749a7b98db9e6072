#pragma once

// api: OPBASE_API | - | - | inferred: host libraries export everything
#define OPBASE_API
