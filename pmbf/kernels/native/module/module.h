/* The functions of the extension module, by file. Each list ends with one that has no name. */

#ifndef PMBF_MODULE_H
#define PMBF_MODULE_H

#include <Python.h>

extern PyMethodDef files_methods[], query_methods[], records_methods[], text_methods[];

/* A function that takes an array of arguments, as Python's lists of functions want it. */
#define AS_METHOD(function) ((PyCFunction)(void (*)(void))(function))

#endif
