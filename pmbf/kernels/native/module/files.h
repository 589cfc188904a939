/* The functions of files.c. */

#ifndef PMBF_MODULE_FILES_H
#define PMBF_MODULE_FILES_H

#include <Python.h>

/* read_texts(table, paths, sizes, shingle_tokens, min_hashes, segment_chars, density, ordered)
 * -> (files, numbers): for each path None or (sha256, utf8, n_hashes, n_bounds, n_chars, n_tokens, record); the hashes and
 * then the bounds of one file after the other, as the bytes of uint32 */
PyObject *module_read_texts(PyObject *module, PyObject *arguments);
/* looks(bytes) -> (is_clean, longest, n_apart) */
PyObject *module_looks(PyObject *module, PyObject *content);

#endif
