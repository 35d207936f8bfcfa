# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves of lowered kernels that no index or stride of global memory has fewer than 64 bits on its way into an address.

Use: addresses.py FILE.. ; FILE is the output of helion-lower for an NVIDIA target. What becomes 32 bits wide must be a lane's
number or clamped to the extent of a tile before; products of 32 bits have a constant factor; all indices of pointers to global memory are 64 bits wide.
"""
import re
import sys

NAME = r"%[\w#]+"
MOST = 2 ** 31


class Function:
    def __init__(self, lines):
        self.ops, self.constants = {}, {}
        for line in lines:
            line = line.strip()
            if found := re.match(rf"({NAME}) = ([\w.]+)(.*)", line):
                self.ops[found[1]] = found[2], found[3]
            if found := re.match(rf"({NAME}) = llvm.mlir.constant\((-?\d+)\b", line):
                self.constants[found[1]] = int(found[2])

    def small(self, name, depth=0):
        """Whether the value is known to lie below 2^31 and above -2^31."""
        if name in self.constants:
            return abs(self.constants[name]) < MOST
        op, rest = self.ops.get(name, ("argument", ""))
        operands = re.findall(NAME, rest)
        if op in ("llvm.sext", "llvm.zext"):
            return ": i32 to" in rest or ": i8 to" in rest or ": i16 to" in rest
        if depth > 8:
            return False
        if op == "llvm.intr.smax":  # Of a minimum and 0: clamped from both sides.
            return any(self.small_above(operand) for operand in operands) and any(
                self.constants.get(operand, -1) >= 0 for operand in operands)
        if op == "llvm.and":
            return any(0 <= self.constants.get(operand, -1) < MOST for operand in operands)
        if op in ("llvm.sub", "llvm.add", "llvm.select", "llvm.srem", "llvm.urem"):
            return all(self.small(operand, depth + 1) for operand in operands[-2:])
        return False

    def small_above(self, name):
        op, rest = self.ops.get(name, ("argument", ""))
        return self.small(name) or (op == "llvm.intr.smin" and any(
            0 <= self.constants.get(operand, MOST) < MOST for operand in re.findall(NAME, rest)))

    def check(self):
        narrowed = indexed = 0
        for name, (op, rest) in self.ops.items():
            if op == "llvm.trunc" and ": i64 to i32" in rest:
                narrowed += 1
                operand = re.findall(NAME, rest)[0]
                if not self.small(operand):
                    sys.exit(f"{name} = {op} {rest}: of {self.ops.get(operand, 'an argument')}, which nothing bounds")
            if op == "llvm.mul" and rest.endswith(": i32") and not any(operand in self.constants for operand in re.findall(NAME, rest)):
                sys.exit(f"{name} = {op} {rest}: a product of two numbers that are not constant, in 32 bits")
            indexed += op == "llvm.ptrtoint"
            if op == "llvm.getelementptr" and "<3>" not in rest:
                indexed += 1
                if ", i32)" in rest:
                    sys.exit(f"{name} = {op} {rest}: an index of 32 bits into global memory")
        return narrowed, indexed


def main():
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
