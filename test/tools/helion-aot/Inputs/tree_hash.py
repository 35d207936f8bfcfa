# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a file or folder holds, as one hash: names, bytes, permissions."""
import hashlib
import os


def tree_hash(top):
    digest = hashlib.sha256()
    if os.path.isfile(top):
        with open(top, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    for path, folders, files in sorted(os.walk(top)):
        folders.sort()
        digest.update(repr((os.path.relpath(path, top), os.stat(path).st_mode, folders)).encode())
        for name in sorted(files):
            with open(os.path.join(path, name), "rb") as file:
                digest.update(name.encode() + b"\0" + file.read())
    return digest.hexdigest()
