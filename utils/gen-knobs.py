#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the knob records of a Knobs.td into C++ rows or into documentation. The classes of the records are included first
(passes/Config/KnobClasses.td), so that a Knobs.td holds nothing but records.

Use: utils/gen-knobs.py --inc FILE.td      rows for passes/Config/Knob.h, on stdout
     utils/gen-knobs.py --doc FILE.td ...  docs/generated/knobs.md, on stdout
Options: --tblgen PATH of llvm-tblgen, --root DIR of the tree
Example: utils/gen-knobs.py --doc passes/Knobs.td codegen/CPU/Knobs.td codegen/NVIDIA/Knobs.td > docs/generated/knobs.md
"""
import argparse
import json
import pathlib
import subprocess
import sys

CLASSES = "passes/Config/KnobClasses.td"
CXX_HEAD = """// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated from {name} by utils/gen-knobs.py.
"""
DOC_HEAD = """# Knobs

Generated from {names} by `utils/gen-knobs.py`; a test compares. The config text that holds them: `docs/design/0003-config-text.md`.
"""


class Records:
    """The records of one .td file, with references between them resolved."""

    def __init__(self, tblgen, root, path):
        source = f'include "{CLASSES}"\ninclude "{path}"\n'
        command = [tblgen, "--dump-json", f"-I{root}", "-"]
        ran = subprocess.run(command, input=source, capture_output=True, text=True)
        if ran.returncode != 0:
            sys.exit(ran.stderr.strip())
        self.json = json.loads(ran.stdout)

    def resolve(self, value):
        if isinstance(value, dict) and value.get("kind") == "def":
            record = self.json[value["def"]]
            return {key: self.resolve(field) for key, field in record.items() if key[0] != "!"} | {"def": value["def"]}
        if isinstance(value, list):
            return [self.resolve(element) for element in value]
        return value

    def all_of(self, kind):
        names = self.json["!instanceof"].get(kind, [])
        return [self.resolve({"kind": "def", "def": name}) for name in names]

    def passes(self):
        return sorted(self.all_of("ChoicePass"), key=lambda record: record["order"])

    def knobs(self):
        return sorted(self.all_of("Knob"), key=lambda record: (record["pass"]["order"], record["name"], record["def"]))

    def ignored(self):
        return sorted(self.all_of("IgnoredHelionKey"), key=lambda record: record["key"])


def check(records):
    """What TableGen cannot say: texts are given, a knob's pass is one, its default is said once."""
    taken = {}
    for knob in records.knobs():
        where = f"knob `{knob['name']}`"
        for field in ("summary", "pickWhen", "cost", "notLegal"):
            if not knob[field]:
                sys.exit(f"{where}: `{field}` is not given")
        if taken.setdefault(knob["name"], knob["pass"]["name"]) != knob["pass"]["name"]:
            sys.exit(f"{where} is taken by two passes")
        presets = [span["preset"] for span in knob["value"]["spans"]]
        if not knob["preset"] and not knob["defaultRule"] and not (presets and all(presets)):
            sys.exit(f"{where} has no default")


def quote(text):
    return json.dumps(text)


def array(kind, name, elements):
    """A constexpr array, or nothing for an empty one; and the expression that names it."""
    if not elements:
        return "", "{}"
    return f"static constexpr {kind} {name}[] = {{{', '.join(elements)}}};\n", name


def knob_row(knob):
    value = knob["value"]
    parts = {
        "Spans": ("SpanRow", ["{" + ", ".join(quote(span[key]) for key in ("low", "high", "step", "preset", "odd")) + "}"
                              for span in value["spans"]]),
        "Words": ("llvm::StringLiteral", [f"llvm::StringLiteral({quote(word)})" for word in value["words"]]),
        "Samples": ("int64_t", [str(sample) for sample in value["samples"]]),
        "Matrix": ("llvm::StringLiteral", [f"llvm::StringLiteral({quote(text)})" for text in knob["matrix"]]),
        "GroupMatrix": ("llvm::StringLiteral", [f"llvm::StringLiteral({quote(text)})" for text in knob["groupMatrix"]]),
        "Persistent": ("llvm::StringLiteral", [f"llvm::StringLiteral({quote(word)})" for word in knob["persistent"]]),
        "Needs": ("NeedRow", ["{" + f"{quote(need['knob'])}, {quote(','.join(need['values']))}" + "}"
                              for need in knob["needs"]]),
    }
    text, names = "", []
    for suffix, (kind, elements) in parts.items():
        declared, name = array(kind, knob["def"] + suffix, elements)
        text += declared
        names.append(name)
    helion = knob["helion"]
    declared, words = array("llvm::StringLiteral", knob["def"] + "HelionWords",
                            [f"llvm::StringLiteral({quote(word)})" for word in helion["words"]])
    text += declared
    row = [quote(knob["name"]), quote(knob["pass"]["name"]), f"SiteKind::{knob['site']['def']}",
           f"ValueKind::{value['kind']}", *names, "true" if knob["copies"] else "false", quote(knob["preset"]),
           quote(knob["universal"]), quote(knob["elements"]), quote(knob["mostElements"]), quote(knob["sharedBytes"]),
           quote(knob["fact"]),
           "{" + f"{quote(helion['key'])}, {quote(helion['alias'])}, {'true' if helion['single'] else 'false'}, {words}" + "}",
           quote(knob["summary"])]
    return text, "{" + ", ".join(row) + "}"


def print_inc(path, records):
    print(CXX_HEAD.format(name=path), end="")
    texts, rows = zip(*(knob_row(knob) for knob in records.knobs()))
    print("".join(texts), end="")
    print("static constexpr KnobRow knobRows[] = {\n" + ",\n".join(rows) + "};")
    passes = ["{" + f"{quote(record['name'])}, {record['order']}, {quote(record['fact'])}" + "}" for record in records.passes()]
    print(array("ChoicePassRow", "passRows", passes)[0], end="")
    ignored = ["{" + f"{quote(record['key'])}, {quote(record['reason'])}" + "}" for record in records.ignored()]
    print(array("IgnoredKeyRow", "ignoredRows", ignored)[0], end="")


def span_text(span):
    if span["low"] == span["high"]:
        return f"`{span['low']}`"
    odd = f" times odd numbers up to `{span['odd']}`" if span["odd"] > 1 else ""
    step = {"": ", powers of two" + odd, "1": ""}.get(span["step"], f", step `{span['step']}`")
    return f"`{span['low']}` to `{span['high']}`{step}"


def values_text(value):
    words = ", ".join(f"`{word}`" for word in value["words"])
    spans = [span_text(span) for span in value["spans"]]
    return {
        "Flag": "set or not",
        "Permutation": "a permutation of the dims, `[1,0]`",
        "Word": words,
        "Integer": " or ".join(filter(None, ["; ".join(spans), words])),
        "List": " or ".join(filter(None, ["a list: " + "; ".join(spans), words])),
    }[value["kind"]]


def default_text(knob):
    if knob["preset"] or knob["defaultRule"]:
        return f"`{knob['preset']}`" if knob["preset"] else knob["defaultRule"]
    return ", ".join(f"`{span['preset']}`" for span in knob["value"]["spans"])


def doc_knob(knob):
    print(f"\n### `{knob['name']}`, at: {knob['site']['text']}\n")
    print(f"{knob['summary'][0].upper()}{knob['summary'][1:]}.\n")
    rows = [("values", values_text(knob["value"]))]
    if knob["value"]["samples"]:
        rows.append(("the search tries", ", ".join(f"`{sample}`" for sample in knob["value"]["samples"])))
    rows += [("default", default_text(knob))]
    if knob["universal"]:
        rows.append(("serves every size", f"`{knob['universal']}`"))
    rows += [("pick it when", knob["pickWhen"]), ("cost", knob["cost"])]
    if knob["fact"]:
        rows.append(("targets", f"those that have `dev.{knob['fact']}`"))
    if knob["elements"]:
        most = f", in all `{knob['mostElements']}`" if knob["mostElements"] else ""
        rows.append(("elements of a tile value for each", f"at most `{knob['elements']}`{most}"))
    if knob["sharedBytes"]:
        rows.append(("bytes of shared memory of a launch", f"at most `{knob['sharedBytes']}`"))
    if knob["matrix"]:
        rows.append(("a dot of", " x ".join(f"`{extent}`" for extent in knob["matrix"]) + " (bytes) divides the blocks of a dot that reads a load"))
    if knob["groupMatrix"]:
        rows.append(("all dots of", " x ".join(f"`{extent}`" for extent in knob["groupMatrix"][:3]) + " (bytes) divides their blocks, "
                     f"`{knob['groupMatrix'][3]}` the warps; both operands are loads"))
    needs = "; ".join(f"`{need['knob']}` is " + " or ".join(f"`{value}`" for value in need["values"])
                      for need in knob["needs"])
    rows += [("only where", needs or "always"), ("not legal", knob["notLegal"])]
    helion = knob["helion"]
    words = ", ".join("`{}` is `{}`".format(*(json.dumps(word.partition("=")[0]), word.partition("=")[2])) for word in helion["words"])
    rows.append(("Helion's key", (f"`{helion['key']}`" if helion["key"] else "none") + (f": {words}" if words else "")))
    print("| | |\n|---|---|")
    for name, text in rows:
        print(f"| {name} | {text} |")


def print_doc(files):
    print(DOC_HEAD.format(names=" and ".join(f"`{path}`" for path, _ in files)), end="")
    for path, records in files:
        knobs = records.knobs()
        for record in records.passes():
            print(f"\n## `{record['name']}`")
            if record["fact"]:
                print(f"\nOf targets that have `dev.{record['fact']}`.")
            for knob in knobs:
                if knob["pass"]["name"] == record["name"]:
                    doc_knob(knob)
        if records.ignored():
            print("\n## Keys of Helion's Config that are read and ignored\n\n| key | why |\n|---|---|")
            for record in records.ignored():
                print(f"| `{record['key']}` | {record['reason']} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inc", action="store_true")
    parser.add_argument("--doc", action="store_true")
    parser.add_argument("--tblgen", default="/usr/lib/llvm-22/bin/llvm-tblgen")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    if options.inc == options.doc:
        parser.error("one of --inc and --doc is needed")
    files = [(path, Records(options.tblgen, options.root, path)) for path in options.files]
    for _, records in files:
        check(records)
    if options.doc:
        print_doc(files)
    else:
        print_inc(*files[0])


if __name__ == "__main__":
    main()
