#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives helion-opt configs that are wrong, and compares the message.

Use: invalid-configs.py FOLDER of the form-K examples
"""
import pathlib
import subprocess
import sys
import tempfile

PASSES = ["helion-roll-reductions", "helion-order-loops", "helion-bind-blocks", "helion-flatten-loops", "helion-map-programs",
          "helion-unroll-loops"]


def text(**options):
    """A config text with some passes' options: bind_blocks="block_sizes=bm=16"."""
    given = {f"helion-{name.replace('_', '-')}": options[name] for name in options}
    return ",".join(["helion-config{v=1}"] + [name + ("{%s}" % given[name] if name in given else "") for name in PASSES])


def column(whole, part):
    return f"column {whole.index(part) + 1}: "


COLUMN = "config text, "
CASES = [
    # Text, without a kernel.
    ("matmul", "helion-bind-blocks", COLUMN + "column 1: saw `helion-bind-blocks`, expected `helion-config{v=1}`"),
    ("matmul", "helion-config{v=7}", COLUMN + "column 17: config version `7` is not known; this build reads `1`"),
    ("matmul", "helion-config{v=1},helion-order-loops",
     COLUMN + "column 20: saw `helion-order-loops`, expected `helion-roll-reductions`: choice passes stand in a fixed order"),
    ("matmul", "helion-config{v=1},helion-toast",
     COLUMN + "column 20: saw `helion-toast`, expected `helion-roll-reductions`: no choice pass of this target has that name"),
    ("matmul", "helion-config{v=1},helion-roll-reductions",
     COLUMN + "column 42: saw the end, expected `,` and `helion-order-loops`: every choice pass is named, in order"),
    ("matmul", text() + ",helion-choose-cpu", "saw `,`, expected the end: `helion-unroll-loops` is the last choice pass"),
    ("matmul", text(bind_blocks="toast=bm=1"), "saw `toast`, expected a key of `helion-bind-blocks`: `block_sizes`"),
    ("matmul", text(bind_blocks="pid_type=matmul=flat"),
     "saw `pid_type`, expected a key of `helion-bind-blocks`: `block_sizes`"),
    ("matmul", text(map_programs="pid_type=matmul=xyz pid_type=matmul=flat"),
     "key `pid_type` stands twice; put its sites behind one key"),
    ("matmul", text(bind_blocks="block_sizes=bm=1,bm=2"), "site `bm` of `block_sizes` stands twice"),
    ("matmul", text(bind_blocks="block_sizes"), "saw `}`, expected `=`"),
    ("matmul", text(bind_blocks="block_sizes="), "saw `}`, expected a site of `block_sizes`"),
    ("matmul", text(bind_blocks="block_sizes=bm"), "saw `}`, expected `=` and a value for `bm`: an integer in 1..65536"),
    ("matmul", text(bind_blocks="block_sizes=bm=16}"), "saw `}`, expected `,` and `helion-flatten-loops`"),
    ("matmul", text(bind_blocks="block_sizes=bm=16;bn=16"), "`16;bn` is no value; expected an integer, a word or a list"),
    ("matmul", text(bind_blocks="block_sizes=bm=0"), "`0` is no value of `block_sizes`; it takes an integer in 1..65536"),
    ("matmul", text(bind_blocks="block_sizes=bm=016"), "`016` is no value"),
    ("matmul", text(order_loops="loop_orders=loop.ij=[1,0"), "list `[1,0},"),
    ("matmul", text(order_loops="loop_orders=loop.ij=[1,x]"), "list `[1,x]` holds `x`, not an integer"),
    ("matmul", text(order_loops="loop_orders=loop.ij=[1,1]"),
     "`[1,1]` is no value of `loop_orders`; it takes a permutation of the loop's dims, such as `[1,0]`"),
    ("matmul", text(map_programs="pid_type=matmul=round"), "`round` is no value of `pid_type`; it takes one of `flat`, `xyz`,"),
    ("embedding", text(flatten_loops="flatten_loops=loop.ie=1"),
     "saw `=`, expected `,`, a blank or `}`: `flatten_loops` is set by the bare site"),
    # Text against a kernel.
    ("matmul", text(bind_blocks="block_sizes=bq=1"), "`block_sizes` has no site `bq`; there are `bm`, `bn`, `bk`"),
    ("matmul", text(roll_reductions="reduction_loops=slice.n=64"),
     "`reduction_loops` has no site `slice.n`; this kernel has none for it"),
    ("softmax", text(map_programs="pid_type=softmax=xyz"),
     "`pid_type` of `softmax` cannot be `xyz`; it takes one of `flat`, `persistent_blocked`, `persistent_interleaved`"),
    ("softmax", text(bind_blocks="block_sizes=rn=1000"),
     "`block_sizes` of `rn` cannot be `1000`; it takes an integer in 8..65536 (powers of two times odd numbers up to 63)"),
    ("matmul", text(order_loops="loop_orders=loop.ij=[1,0,2]"),
     "`loop_orders` of `loop.ij` cannot be `[1,0,2]`; it takes a permutation of its 2 dims"),
    ("rms-norm-bwd", text(bind_blocks="block_sizes=bc=16,bi=32"), "`block_sizes` of `bi` is at most that of `bc`"),
    ("matmul", text(map_programs="num_sm_multiplier=matmul=2"),
     "`num_sm_multiplier` of `matmul` needs `pid_type` to be `persistent_blocked` or `persistent_interleaved`"),
    ("matmul", text(bind_blocks="block_sizes=bm=4096,bn=1024"),
     "a tile value has `bm` * `bn` lanes; at most 1048576 are legal"),
    # Helion's JSON.
    ("matmul", "{", "Helion config: "),
    ("matmul", '{"toast": 1}', "Helion config: `toast` is no key of a Helion config"),
    ("matmul", '{"block_sizes": [64, 64]}', "Helion config: `block_sizes` has `2` entries; this kernel takes `3`"),
    ("matmul", '{"range_unroll_factors": [1, 1, 1]}', "`range_unroll_factors` has `3` entries; this kernel takes `1` or `2`"),
    ("matmul", '{"block_sizes": 64}', "`block_sizes` is `64`, expected a list"),
    ("matmul", '{"block_sizes": [64, 64, "a b"]}', '`block_sizes`: `"a b"` is no value'),
    ("matmul", '{"l2_groupings": [128]}', "`l2_groupings` of `loop.ij` cannot be `128`; it takes an integer in 1..64"),
    ("softmax", '{"block_size": 1, "block_sizes": [1]}', "`block_sizes` and `block_size` name the same choice"),
    ("rms-norm-bwd", '{"block_sizes": [1, 2]}', "Helion config: `block_sizes` of `bi` is at most that of `bc`"),
]


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "config"
        for kernel, given, message in CASES:
            config.write_text(given)
            command = ["helion-opt", f"--helion-print-config=file={config}", f"{sys.argv[1]}/k-{kernel}.mlir"]
            ran = subprocess.run(command, capture_output=True, text=True)
            if ran.returncode == 0 or message not in ran.stderr or ran.stdout:
                failures += 1
                print(f"{given}\n  expected: {message}\n  status {ran.returncode}: {ran.stderr.splitlines()[:1]}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
