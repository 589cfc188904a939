"""The control words of RTF that matter for its text: characters, lines, notes, groups without text, code pages."""

from __future__ import annotations

CHARACTERS = {
    **dict.fromkeys(("tab", "cell", "nestcell"), "\t"),
    **dict.fromkeys(("emspace", "enspace", "qmspace"), "\u2002"),
    "emdash": "\u2014",
    "endash": "\u2013",
    "bullet": "\u2022",
    "lquote": "\u2018",
    "rquote": "\u2019",
    "ldblquote": "\u201c",
    "rdblquote": "\u201d",
    "zwj": "\u200d",
    "zwnj": "\u200c",
    "~": "\xa0",
    "-": "\xad",
    "_": "\u2011",
}
ESCAPED = frozenset("\\{}")
LINE = frozenset({"par", "line", "sect", "page", "column", "row", "nestrow", "\n", "\r"})
ASIDE = frozenset(
    {"footnote", "annotation", "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"}
    | {"shptxt", "dptxbxtext", "deleted"}
)
"""Groups whose text follows the line they hang on: notes, comments, headers, text boxes, deleted text."""
UNREAD = frozenset(
    {"colortbl", "stylesheet", "info", "pict", "fldinst", "listtext", "pntext", "sn", "sv", "nonesttables", "objdata"}
    | {"objclass", "objname", "themedata", "datastore", "xe", "tc", "bkmkstart", "bkmkend", "template", "filetbl"}
    | {"listtable", "listoverridetable", "revtbl", "rsidtbl", "generator", "latentstyles"}
    | {"ftnsep", "ftnsepc", "aftnsep", "aftnsepc"}
)
STARRED_BUT_READ = ASIDE | {"shpinst", "do", "ud", "fldrslt", "field", "result", "nestrow"}
"""`\\*` means: skip an unknown group. These groups are known."""
# fmt: off
CODE_PAGES = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 254: "cp437", 255: "cp850",
}
# fmt: on
"""`\\fcharset` -> codec."""
