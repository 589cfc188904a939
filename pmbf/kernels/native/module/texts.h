/* What the functions of texts share: how a text is sampled, as Python passes it, and a result as one object. */

#pragma once

#include <Python.h>

#include "../text/result.h"

/* Takes (shingle_tokens, long_letters, min_hashes, segment_chars, density, ordered, hash_bits), and asks for no positions,
 * and for word lists. Returns 0 with an error set if it is something else. */
int take_options(PyObject *how, options_t *options);
/* Returns the parts end to end in a bytearray, with one byte more: NumPy refuses an empty array in an empty buffer. The
 * parts are freed. Returns NULL with an error set if out of memory. */
PyObject *result_buffer(result_t *result);
