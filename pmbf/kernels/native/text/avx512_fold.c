/* AVX-512: folds and checks 64 bytes at a time. */

#if defined(__x86_64__)

#include "avx512.h"

TARGET_BEGIN(AVX512)

#include "vec512.h"

#define VARIANT(name) name##_avx512
#include "check.h"
#include "step.h"

TARGET_END

#endif
