"""Templates: files in TOML that cut a form or a thesis into sections, each with a rule what it is compared with.

    thesis.toml ─reading─► Template ─cutting─► the sections of a text

The patterns of a template are lines, or regular expressions that RE2 searches for: `patterns`.
"""

from pmbf.screen.templates.cutting import Template
from pmbf.screen.templates.offered import Offered, chosen, offered
from pmbf.screen.templates.parsing import SHIPPED, load_template, template_of
from pmbf.screen.templates.patterns import Pattern

__all__ = ["SHIPPED", "Offered", "Pattern", "Template", "chosen", "load_template", "offered", "template_of"]
