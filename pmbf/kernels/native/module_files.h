/* The function of module_files.c. */

#ifndef PMBF_MODULE_FILES_H
#define PMBF_MODULE_FILES_H

#include <Python.h>

/* read_texts(table, paths, max_bytes, shingle_tokens, min_hashes, segment_chars, density, ordered)
 * -> a list with, for each path, None or (sha256, utf8, hashes, bounds, n_chars, n_tokens, record); hashes and bounds are
 * the bytes of uint32 */
PyObject *module_read_texts(PyObject *module, PyObject *arguments);

#endif
