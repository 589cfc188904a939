/* Ends what text_target512.h or text_target2.h began. */

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
