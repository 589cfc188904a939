/* Tokens, kinds of letters and code points for every processor; without vectors of bytes, byte by byte. */

#include "utf8.h"

#define VARIANT(name) name##_portable
#include "scan.h"
