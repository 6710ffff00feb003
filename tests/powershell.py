"""Checks the syntax of PowerShell scripts with the parser that tests/tools fetches.

No PowerShell runs here: what is not seen is whether a script does what it should.
"""

import sys

import tree_sitter
import tree_sitter_powershell

parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))


def faults(node):
    """The places that are no PowerShell."""
    if node.type == "ERROR" or node.is_missing:
        yield node
    for child in node.children:
        yield from faults(child)


# A parser that accepts everything would prove nothing.
assert parser.parse(b"if ($x { foo }").root_node.has_error
complaints = [
    f"{name}:{fault.start_point.row + 1}: {fault.text.decode()[:60]!r} is not understood"
    for name in sys.argv[1:]
    for fault in faults(parser.parse(open(name, "rb").read()).root_node)
]
print("\n".join(complaints) or f"{len(sys.argv) - 1} script, no complaints")
sys.exit(bool(complaints) or len(sys.argv) == 1)
