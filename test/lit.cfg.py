# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The lit suite: every text test under test/. `lit-22 -v test/dialect/IR` runs a folder of it on build/; another build
# tree is named by `--param build=DIR`. test/Unit is a suite of its own (gtest), found from here.
#
# Tests get the built tools and LLVM's on PATH, and
#   %python        Debian's python3, the one with numpy      %cxx %cc    clang-22
#   %helion_plugin libHelionPlugin.so                        %root %examples %checks    folders of the tree
#   %copy_tree     copies the tree's files to a folder, where a test plants a violation
#   %cases         how many random cases a test draws: 5, or 300 under `utils/test.sh --full`
#   %configs       how many configs of a kernel a test compiles and runs: 4, or 40
#   %chip_configs  how many configs of a kernel a test compiles for a GPU: 5, or 50
#   %static_tools  the folder of the self-contained tools, with the feature static-tools
import os
import platform
import shutil
import subprocess

import lit.formats
import lit.util

LLVM_BIN = "/usr/lib/llvm-22/bin"
PYTHON = "/usr/bin/python3"

config.name = "helion"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt", "lit.cfg.py", "README.md"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(config.test_source_root)
build = os.path.abspath(lit_config.params.get("build", os.path.join(root, "build")))
full = "full" in lit_config.params
config.test_exec_root = os.path.join(build, "test")

config.environment["PATH"] = os.pathsep.join([os.path.join(build, "bin"), LLVM_BIN, config.environment["PATH"]])
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.substitutions += [
    ("%python", PYTHON),
    ("%helion_plugin", os.path.join(build, "lib", "libHelionPlugin.so")),
    ("%checks", os.path.join(root, "utils", "checks")),
    ("%examples", os.path.join(root, "examples")),
    ("%copy_tree", f"{PYTHON} {config.test_source_root}/Repo/Inputs/copy-tree.py"),
    ("%root", root),
    ("%cxx", os.path.join(LLVM_BIN, "clang++")),
    ("%cc", os.path.join(LLVM_BIN, "clang")),
    ("%cases", "300" if full else "5"),
    ("%configs", "40" if full else "4"),
    ("%chip_configs", "50" if full else "5"),
]

if full:
    config.available_features.add("full")
if platform.machine() == "x86_64":
    config.available_features.add("device-cpu")
if os.path.exists("/dev/nvidia0"):
    config.available_features.add("device-nvidia")
if subprocess.run([PYTHON, "-c", "import numpy"], capture_output=True).returncode == 0:
    config.available_features.add("numpy")
ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
static_build = lit_config.params.get("static_build")
if static_build:
    config.available_features.add("static-tools")
    config.substitutions.append(("%static_tools", os.path.join(static_build, "bin")))

# A test that hangs fails by name instead of stopping the run.
if lit.util.killProcessAndChildrenIsSupported()[0]:
    lit_config.maxIndividualTestTime = 3600 if full else 600
