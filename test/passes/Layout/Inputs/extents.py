# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Properties of the layouts of random tiles of rows whose extents are powers of two times odd numbers, from what a layout's text means:
every element has an owner, as many threads as divide the tile hold parts of one size without copies, neighbours lie together in vectors, and
no value changes its layout between load, reductions and store.

Use: extents.py CASES SEED
"""
import itertools
import random
import re
import subprocess
import sys

LANES = 32
DTYPES = {"bf16": 2, "f32": 4, "f64": 8}

TEXT = """
!x = memref<?x?x{dtype}>
!v = tensor<{rows}x{extent}x{dtype}>
!ti = !helion.tile<{rows}>
!tj = !helion.tile<{extent}>
module attributes {{helion.form = "scheduled"}} {{
  helion.kernel @rows(%x: !x {{helion.name = "x"}}) -> !x attributes {{helion.signature = {{x = "{dtype}[2]"}}, helion.facts = []}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %low = arith.constant 0.0 : {dtype}
    %m = memref.dim %x, %c0 : !x
    %n = memref.dim %x, %c1 : !x
    %out = helion.empty(%m, %n) {{name = "out"}} : !x
    helion.launch "rows" grid(%m) {{
      %p = helion.program_id "x"
      %i = helion.make_tile %p end %m : !ti
      %j = helion.make_tile %c0 end %n : !tj
      %v = helion.load %x[%i, %j] site "x.0" : !x, (!ti, !tj) -> !v
      %k = helion.mask %v dims [1] by (%j) fill %low : !v, (!tj), {dtype}
      %s = helion.reduce addf %k dim 1 site "sum.0" : !v -> tensor<{rows}x{dtype}>
      %b = helion.broadcast %s to [0] : tensor<{rows}x{dtype}> -> !v
      %d = arith.divf %v, %b : !v
      helion.store %d, %out[%i, %j] site "out.0" : !v, !x, (!ti, !tj)
    }}
    helion.return %out : !x
  }}
}}
"""


def numbers(text):
    return [int(number) for number in re.findall(r"\d+", text)]


class Layout:
    """`<[atom], space = [basis, ..], .., repeat = [space dim x count from F step S, ..]>`: bits by XOR, digits above them by sum."""

    def __init__(self, text):
        self.extents = numbers(text[:text.index("]")])
        self.sizes, self.bases, self.digits = {}, {}, []
        for space, bases in re.findall(r"(reg|lane|warp) = \[((?:\[[\d, ]+\](?:, )?)+)\]", text):
            self.bases[space] = [numbers(basis) for basis in re.findall(r"\[[\d, ]+\]", bases)]
        for space in ("reg", "lane", "warp"):
            self.sizes[space] = 1 << len(self.bases.setdefault(space, []))
        for space, dim, count, origin, step in re.findall(r"(reg|lane|warp) (\d+) x (\d+)(?: from (\d+))?(?: step (\d+))?", text):
            dim, count = int(dim), int(count)
            origin, step = int(origin or self.sizes[space]), int(step or self.extents[dim])
            self.digits.append((space, dim, count, origin, step))
            self.sizes[space] = max(self.sizes[space], origin * count)
            self.extents[dim] = max(self.extents[dim], step * count)

    def index(self, **place):
        at = [0] * len(self.extents)
        for space, bases in self.bases.items():
            for bit, basis in enumerate(bases):
                if place[space] >> bit & 1:
                    at = [a ^ b for a, b in zip(at, basis)]
        for space, dim, count, origin, step in self.digits:
            at[dim] += place[space] // origin % count * step
        return tuple(at)

    def places(self):
        return itertools.product(*(range(self.sizes[space]) for space in ("reg", "lane", "warp")))


def even(extent):
    return extent & -extent


def assigned(rows, extent, dtype, warps):
    text = TEXT.format(rows=rows, extent=extent, dtype=dtype)
    passes = f"builtin.module(helion-assign-layouts{{warps={warps} lanes={LANES}}},helion-verify-form{{form=laidout}})"
    done = subprocess.run(["helion-opt", f"--pass-pipeline={passes}"], input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{rows} x {extent} {dtype}, {warps} warps: {done.stderr}")
    layouts = dict(re.findall(r"^(#\w+) = #helion\.layout(<.*>)$", done.stdout, re.M))
    name = re.search(r"helion\.load .*, (#\w+)>$", done.stdout, re.M)[1]
    return Layout(layouts[name]), "helion.convert_layout" in done.stdout


def wrong(rows, extent, dtype, warps):
    layout, converts = assigned(rows, extent, dtype, warps)
    if converts or layout.extents != [rows, extent]:
        return f"converts: {converts}, extents {layout.extents}"
    owners = {}
    for reg, lane, warp in layout.places():
        owners.setdefault(layout.index(reg=reg, lane=lane, warp=warp), []).append((reg, lane, warp))
    if len(owners) != rows * extent:
        return f"{len(owners)} elements have owners"
    shared = even(rows) * even(extent)
    threads = layout.sizes["lane"] * layout.sizes["warp"]
    wanted = min(LANES * warps, shared)
    if any(len(places) != 1 for places in owners.values()) or threads != wanted:
        return f"{threads} threads hold parts, not {wanted}, or copies"
    if layout.sizes["reg"] * threads != rows * extent:
        return f"{layout.sizes['reg']} registers in {threads} threads"
    vector = min(16 // DTYPES[dtype], max(1, shared // (LANES * warps)), even(extent))
    first = [layout.index(reg=reg, lane=0, warp=0) for reg in range(vector)]
    if first != [(0, column) for column in range(vector)]:
        return f"the first registers hold {first}"
    return None


def main():
    cases, rng = int(sys.argv[1]), random.Random(int(sys.argv[2]))
    # As the search has them, and what it has not: copies of threads, odd numbers of rows.
    fixed = [(1, 12544, "bf16", 8), (1, 13312, "bf16", 16), (1, 1000, "f32", 4), (4, 192, "bf16", 4), (3, 40, "f64", 2), (1, 63, "f32", 1)]
    for number in range(cases):
        extent = 65536
        while extent > 16384:
            extent = rng.randrange(1, 64, 2) << rng.randrange(0, 12)
        drawn = (rng.choice((1, 1, 2, 3, 4, 8)), extent, rng.choice(sorted(DTYPES)), 1 << rng.randrange(0, 6))
        case = fixed[number] if number < len(fixed) else drawn
        if problem := wrong(*case):
            sys.exit("{} x {} {}, {} warps: ".format(*case) + problem)
    print(f"{cases} tiles are spread over all threads that divide them")


if __name__ == "__main__":
    main()
