# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves of lowered kernels that no index or stride of global memory has fewer than 64 bits on its way into an address.

Use: addresses.py FILE.. ; FILE is the output of helion-lower for an NVIDIA target. What becomes 32 bits wide must lie in a range
that fits, which follows from lanes' numbers, constants and clamps through arithmetic; so must sums and products of such values
in 32 bits. Other products of 32 bits have a constant factor; all indices of pointers to global memory are 64 bits wide.
"""
import math
import re
import sys

NAME = r"%[\w#]+"
UNKNOWN = -math.inf, math.inf
NARROW = -2 ** 31, 2 ** 31 - 1


def within(inner, outer):
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def product(a, b):
    corners = [0 if 0 in (x, y) else x * y for x in a for y in b]
    return min(corners), max(corners)


def bits_of(a, b):
    """Of `or` and `xor`: no bit above those of the operands."""
    if a[0] < 0 or b[0] < 0 or math.inf in (a[1], b[1]):
        return UNKNOWN
    return 0, 2 ** max(a[1], b[1]).bit_length() - 1


def masked(a, b):
    most = [high for low, high in (a, b) if low >= 0]
    return (0, min(most)) if most else UNKNOWN


def power(a):
    return (2 ** a[0], 2 ** a[1]) if within(a, (0, 63)) else UNKNOWN


def halved(a, b):
    if a[0] < 0 or not within(b, (0, 63)):
        return UNKNOWN
    return 0, a[1] if a[1] == math.inf else a[1] >> b[0]


def remainder(a, b):
    most = max(abs(b[0]), abs(b[1]))
    return (0 if a[0] >= 0 else 1 - most), most - 1


# The range of a result from those of two operands.
RANGES = {
    "llvm.add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "llvm.sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "llvm.mul": product,
    "llvm.shl": lambda a, b: product(a, power(b)),
    "llvm.lshr": halved,
    "llvm.udiv": lambda a, b: (0, a[1]) if a[0] >= 0 and b[0] >= 0 else UNKNOWN,
    "llvm.urem": lambda a, b: (0, min(a[1], b[1])) if a[0] >= 0 and b[0] >= 0 else UNKNOWN,
    "llvm.srem": remainder,
    "llvm.and": masked,
    "llvm.or": bits_of,
    "llvm.xor": bits_of,
    "llvm.select": lambda a, b: (min(a[0], b[0]), max(a[1], b[1])),
    "llvm.intr.smin": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "llvm.intr.smax": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "llvm.intr.umin": masked,
}
# Those that may leave 32 bits though their operands fit.
GROWING = "llvm.add", "llvm.sub", "llvm.mul", "llvm.shl"


class Function:
    def __init__(self, lines):
        self.ops, self.ranges = {}, {}
        for line in lines:
            line = line.strip()
            if found := re.match(rf"({NAME}) = ([\w.]+)(.*)", line):
                self.ops[found[1]] = found[2], found[3]
            if found := re.match(rf"({NAME}) = llvm.mlir.constant\((-?\d+) : (?:i32|i64|index)\)", line):
                self.ranges[found[1]] = int(found[2]), int(found[2])

    def range_of(self, name):
        """The least and the largest value, as numbers without a width; infinite where nothing bounds them."""
        if name not in self.ranges:
            self.ranges[name] = self.find_range(*self.ops.get(name, ("argument", "")))
        return self.ranges[name]

    def find_range(self, op, rest):
        if "vector<" in rest:
            return UNKNOWN
        if found := re.search(r"range <i32, (\d+), (\d+)>", rest):
            return int(found[1]), int(found[2]) - 1
        if op.startswith("nvvm.read.ptx.sreg."):
            return 0, NARROW[1]
        operands = [self.range_of(operand) for operand in re.findall(NAME, rest)]
        if op in ("llvm.sext", "llvm.zext"):
            width = int(re.search(r": i(\d+) to", rest)[1])
            if within(operands[0], (0 if op == "llvm.zext" else -2 ** (width - 1), 2 ** (width - 1) - 1)):
                return operands[0]
            return (0, 2 ** width - 1) if op == "llvm.zext" else (-2 ** (width - 1), 2 ** (width - 1) - 1)
        if op == "llvm.trunc":
            return operands[0] if within(operands[0], NARROW) else UNKNOWN
        if op not in RANGES:
            return UNKNOWN
        found = RANGES[op](*operands[-2:])
        return UNKNOWN if any(map(math.isnan, found)) else found

    def check(self):
        narrowed = indexed = 0
        for name, (op, rest) in self.ops.items():
            operands = re.findall(NAME, rest)
            if op == "llvm.trunc" and ": i64 to i32" in rest:
                narrowed += 1
                self.check_fits(self.range_of(operands[0]), f"{name} = {op} {rest}: of {self.ops.get(operands[0], 'an argument')}")
            if op in GROWING and rest.endswith(": i32"):
                ranges = [self.range_of(operand) for operand in operands]
                if all(within(bounds, NARROW) for bounds in ranges):
                    self.check_fits(self.range_of(name), f"{name} = {op} {rest}")
                elif op == "llvm.mul" and all(low != high for low, high in ranges):
                    sys.exit(f"{name} = {op} {rest}: a product of two numbers that are not constant, in 32 bits")
            indexed += op == "llvm.ptrtoint"
            if op == "llvm.getelementptr" and "<3>" not in rest:
                indexed += 1
                if ", i32)" in rest:
                    sys.exit(f"{name} = {op} {rest}: an index of 32 bits into global memory")
        return narrowed, indexed

    @staticmethod
    def check_fits(bounds, what):
        if math.inf in (-bounds[0], bounds[1]):
            sys.exit(f"{what}, which nothing bounds")
        if not within(bounds, NARROW):
            sys.exit(f"{what}, which may be {bounds[0]:.0f} to {bounds[1]:.0f}: not in 32 bits")


def main():
    sys.setrecursionlimit(100000)
    for path in sys.argv[1:]:
        functions, lines = [], None
        with open(path) as file:
            for line in file:
                if line.lstrip().startswith("llvm.func") and line.rstrip().endswith("{"):
                    lines = []
                    functions.append(lines)
                elif lines is not None:
                    lines.append(line)
        counts = [Function(lines).check() for lines in functions]
        print(f"{sum(count for count, _ in counts)} narrowed, {sum(count for _, count in counts)} addresses of global memory")


if __name__ == "__main__":
    main()
