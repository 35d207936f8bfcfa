# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The gtest binaries that helion_unit_test built, as a lit suite: one lit test for each TEST.
import os

import lit.formats

config.name = "helion-unit"
build = os.path.abspath(lit_config.params.get("build", os.path.join(os.path.dirname(__file__), "..", "..", "build")))
config.test_source_root = config.test_exec_root = os.path.join(build, "test", "Unit")
os.makedirs(config.test_source_root, exist_ok=True)
config.test_format = lit.formats.GoogleTest(".", "Tests")
