#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes a folder with which a package whose kernel takes tensor maps, a bf16 matrix product, is checked on a machine that has a
# GPU of compute capability 9.0, Python and torch.
# Use: make-check.sh FOLDER      (helion-translate and package-from-json are on PATH, with CMake, Ninja and a C++ compiler)
# There: python3 FOLDER/device.py FOLDER/build/libmatmul.so
set -euo pipefail
out=$1
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
config="helion-config{v=1},helion-roll-reductions,helion-order-loops,helion-bind-blocks{block_sizes=bi=128,bj=128,bk=64}"
config+=",helion-flatten-loops,helion-map-programs,helion-unroll-loops,helion-choose-access"
config+=",helion-set-warps{num_warps=matmul=8},helion-set-stages{copies=loop.k=boxes num_stages=loop.k=4}"
helion-translate --import-helion "$here/../../../../examples/matmul/matmul.py" --kernel matmul --args "x=bf16[?,?] y=bf16[?,?]" \
  -o "$out/matmul.mlir"
helion-translate --emit-artifact "$out/artifact" "$out/matmul.mlir" --target nvidia:sm_90a --config "$config"
python3 - "$out" <<'END'
import glob
import json
import os
import sys

out = os.path.abspath(sys.argv[1])
with open(os.path.join(out, "artifact", "manifest.json")) as file:
    manifest = json.load(file)
image = next(path for ending in ("cubin", "ptx") for path in glob.glob(os.path.join(out, "artifact", "*." + ending)))
variant = {"config_id": manifest["plan"]["steps"][0]["symbol"].split("_")[1], "object": image, "manifest": manifest}
figures = {"goal": "max_slowdown", "threshold": 1.1, "verdict": "met", "pool": 1, "pool_random": 1, "worst": 1, "mean": 1, "held_out": 1,
           "smallest_set": 1}
signature = {"universal": 0, "features": [{"name": "rows", "value": "x.size(0)"}], "tree": [{"variant": 0}], "corpus": [[128]],
             "variants": [variant]}
with open(os.path.join(out, "matmul.json"), "w") as file:
    json.dump({"kernel": "matmul", "kernel_hash": manifest["kernel_hash"], "tool_version": "0.1.0", "figures": figures,
               "signatures": [signature]}, file)
END
package-from-json "$out/matmul.json" "$out/matmul"
cmake -G Ninja -S "$out/matmul" -B "$out/build" -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_TYPE=Release >/dev/null
ninja -C "$out/build" >/dev/null
cp "$here/device.py" "$out/"
