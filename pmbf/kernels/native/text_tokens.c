/* Tokens, kinds of letters and code points for every processor: where there is no vector of bytes, byte by byte. */

#include "text_utf8.h"

#define VARIANT(name) name##_portable
#include "text_scan.h"
