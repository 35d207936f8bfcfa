#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tries to make vector_add from specs with one fault each. Use: refuse.sh FOLDER EDIT.py
set -u
folder=$1 edit=$2
cat >"$folder/expf.c" <<'C'
float expf(float);
void vector_add_11111111_0(const long *a, const long *g, long b, long e, void *s) { *(float *)a[0] = expf(1); }
C
cat >"$folder/helper.c" <<'C'
void helper(void) {}
void vector_add_11111111_0(const long *a, const long *g, long b, long e, void *s) {}
C
cat >"$folder/twice.c" <<'C'
void vector_add_11111111_0(const long *a, const long *g, long b, long e, void *s) {}
void vector_add_22222222_0(const long *a, const long *g, long b, long e, void *s) {}
C
cat >"$folder/third.c" <<'C'
void vector_add_55555555_0(const long *a, const long *g, long b, long e, void *s) {}
C
for name in expf helper twice third; do
  clang -O1 -fPIC -ffreestanding -c "$folder/$name.c" -o "$folder/obj/$name.o" || exit 1
done

refuse() {
  python3 "$edit" "$folder/vector_add.json" "$1" >"$folder/faulty.json" || exit 1
  ! package-from-json "$folder/faulty.json" "$folder/vector_add" || echo "not refused: $1"
}
refuse 'spec["kernel"] = "int"'
refuse 'spec["kernel"] = "a-b"'
refuse 'spec["signatures"] = []'
refuse 's["variants"] = []'
refuse 's["universal"] = 2'
refuse 'v["config_id"] = "1234"'
refuse 'v["config_id"] = "22222222"'
refuse 'm["kernel"] = "other"'
refuse 'm["target"] = "cpu:x86-64-v3"'
refuse 'm["target"] = "cpu:z80"'
refuse 'm["plan"]["checks"] = []'
refuse 'm["facts"] = ["dev.warp_size == 32"]'
refuse 'm["plan"]["steps"][0]["symbol"] = "vector_add_11111111_1"'
refuse "v['object'] = '$folder/expf.c'"
refuse "v['object'] = '$folder/obj/expf.o'"
refuse "v['object'] = '$folder/obj/helper.o'"
refuse "v['object'] = '$folder/obj/twice.o'"
refuse 's["features"] *= 2; s["corpus"] = []'
refuse 's["features"][0]["value"] = "z.size(0)"'
refuse 's["corpus"][0] = [1, 2]'
refuse 's["tree"][0]["at_most"] = 0'
refuse 's["tree"][0]["at_most"] = 3'
refuse 's["tree"][1]["variant"] = 2'
refuse 's["tree"][0]["feature"] = 1'
refuse 'for w in s["variants"]: w["manifest"]["arguments"] += [{"name": f"a{i}", "scalar": "i64"} for i in range(23)]'
refuse 'import copy; t = copy.deepcopy(s); spec["signatures"].append(t); t["variants"] = t["variants"][1:]; t["universal"] = 0; t["tree"] = [{"variant": 0}]; w = t["variants"][0]; w["object"] = "'"$folder"'/obj/third.o"; w["manifest"]["plan"]["steps"][0]["symbol"] = "vector_add_55555555_0"; w["manifest"]["arguments"][1]["name"] = "z"; w["manifest"]["plan"] = eval(repr(w["manifest"]["plan"]).replace("y.", "z.").replace("\x27y\x27", "\x27z\x27"))'
