"""`pmbf export`: the endpoint filter, with which a machine guards documents that it does not have."""

from __future__ import annotations

import os
from typing import Annotated

from pmbf.base.errors import DONE, FAILED, ParameterError
from pmbf.cli import arguments as arg
from pmbf.cli.arguments import names, option
from pmbf.cli.inputs import ignored_texts, in_a_folder, limits, named_collection, open_collection
from pmbf.cli.outcome import note, note_kernels, print_json, print_text
from pmbf.cli.targets import require_no_store, require_outside
from pmbf.cli.words import explained

EXPORT_HELP = """Examples:
  pmbf export endpoint.pmbx -c protected.pmbf
  pmbf export endpoint.pmbx -c protected.pmbf --ignore letterhead.docx
  pmbf guard report.txt -c endpoint.pmbx --param key_file=site.key
  pmbf guard resolve px-0123456789abcdef -c protected.pmbf

OUT holds no texts, names or fingerprints, only bits under a random key of 128
bits. Send OUT and the key to each machine, by different ways. OUT alone shows
how much text there is and which parts share text; with OUT and key a guess can
be confirmed. docs/privacy.md says what is promised.

The same key makes the same ids, so that incidents of older exports resolve. To
a machine that has only a new key (another --key-file), older filters are useless.

Exit codes: 0 written; 2 wrong usage; 3 an error, or a document could not be
read and is not in it"""

Out = Annotated[str, names("OUT", "The file to write; an existing endpoint filter is replaced.")]
KeyFile = Annotated[
    str | None,
    option("--key-file", "KEY", "The site key; made if it does not exist (default: the collection's name and .key)."),
]
Ignore = Annotated[
    list[str] | None, option("--ignore", "FILE", "Text of FILE is public: a template, a form; repeatable.")
]


@explained(EXPORT_HELP)
def export(
    out: Out,
    collection: arg.CollectionFolder = None,
    key_file: KeyFile = None,
    ignore: Ignore = None,
    json: arg.Json = False,
) -> int:
    """Write a filter that guards the documents on other machines, without texts and names."""
    from pmbf.cli.shown.summaries import export_text
    from pmbf.guard.filter.exporting import export as exported
    from pmbf.guard.filter.exporting import require_possible
    from pmbf.store.sitekey import read_or_make_key

    collection = in_a_folder(named_collection(collection))
    key_path = key_file or f"{collection.rstrip('/')}.key"
    if os.path.realpath(key_path) == os.path.realpath(out):
        raise ParameterError(f"{out}: is the key file, too; name one file for the filter and one for its key")
    require_no_store("OUT", out)
    if key_file:
        require_no_store("--key-file", key_file)
    texts = ignored_texts(ignore or (), limits())
    note_kernels()
    with open_collection(collection) as opened:
        require_possible(opened, out)
        require_outside("OUT", out, opened, hint="")
        key, is_new = read_or_make_key(key_path)
        try:
            report = exported(opened, out, key, ignore=texts)
        except BaseException:
            if is_new:
                os.unlink(key_path)  # no filter was made with it
            raise
    if is_new:
        note(f"{key_path}: a new site key; keep a copy, and send it another way than the filter")
    print_json(report.to_dict()) if json else print_text(export_text(report, out, key_path))
    for path, why in report.problems:
        note(f"not protected: {path}: {why}")
    return FAILED if report.problems else DONE
