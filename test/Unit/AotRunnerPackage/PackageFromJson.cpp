// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// package-from-json: a test's way to the package writer without a compiler and a tuner before it. Reads a spec with the
// manifests inline and object files by path, and writes the package.
#include "aot-runner/Package/WritePackage.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace helion {

static Error readFile(StringRef path, std::string &out) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError("cannot read `" + path + "`: " + buffer.getError().message());
  out = (*buffer)->getBuffer().str();
  return Error::success();
}

static Error readJson(const JsonCursor &at, PackageVariant &out) {
  std::string path, textPath;
  return JsonFields(at)
      .with("text",
            [&](JsonCursor member) {
              Error error = helion::readJson(member, textPath);
              return error ? std::move(error) : readFile(textPath, out.text);
            })
      .required("config_id", out.configId)
      .with("object",
            [&](JsonCursor member) {
              Error error = helion::readJson(member, path);
              return error ? std::move(error) : readFile(path, out.object);
            })
      .with("manifest",
            [&](JsonCursor member) -> Error {
              Expected<Manifest> manifest = Manifest::parse(canonicalJson(member.value()), "manifest");
              if (!manifest)
                return manifest.takeError();
              out.manifest = std::move(*manifest);
              return Error::success();
            })
      .finish();
}

static Error readJson(const JsonCursor &at, PackageFeature &out) {
  return JsonFields(at)
      .required("name", out.name)
      .with("value", [&](JsonCursor member) { return helion::readJson(member, out.value); })
      .finish();
}

static Error readInt(const JsonCursor &at, int &out) {
  int64_t value = 0;
  Error error = helion::readJson(at, value);
  out = int(value);
  return error;
}

static Error readJson(const JsonCursor &at, PackageNode &out) {
  return JsonFields(at)
      .with("variant", [&](JsonCursor member) { return readInt(member, out.variant); })
      .with("feature", [&](JsonCursor member) { return readInt(member, out.feature); })
      .optional("threshold", out.threshold)
      .with("at_most", [&](JsonCursor member) { return readInt(member, out.atMost); })
      .with("above", [&](JsonCursor member) { return readInt(member, out.above); })
      .with("next",
            [&](JsonCursor member) {
              return member.forEachElement([&](JsonCursor next) { return readInt(next, out.next.emplace_back()); });
            })
      .finish();
}

template <typename T> static Error readList(const JsonCursor &at, std::vector<T> &out) {
  return at.forEachElement([&](JsonCursor element) { return readJson(element, out.emplace_back()); });
}

static Error readJson(const JsonCursor &at, PackageSignature &out) {
  return JsonFields(at)
      .with("universal", [&](JsonCursor member) { return readInt(member, out.universal); })
      .with("variants", [&](JsonCursor member) { return readList(member, out.variants); })
      .with("features", [&](JsonCursor member) { return readList(member, out.features); })
      .with("tree", [&](JsonCursor member) { return readList(member, out.tree); })
      .with("corpus",
            [&](JsonCursor member) {
              return member.forEachElement(
                  [&](JsonCursor row) { return helion::readJson(row, out.corpus.emplace_back()); });
            })
      .finish();
}

static Error readJson(const JsonCursor &at, PackageFigures &out) {
  double heldOut = 0;
  int64_t smallestSet = 0;
  std::string verdict;
  JsonFields fields(at);
  fields.required("goal", out.goal).required("threshold", out.threshold).required("verdict", verdict);
  for (aot::Outcome outcome : {aot::Outcome::Met, aot::Outcome::Missed, aot::Outcome::Undecided})
    if (aot::name(outcome) == verdict)
      out.outcome = outcome;
  fields.required("pool", out.pool).required("worst", out.worst).required("mean", out.mean);
  fields.optional("pool_random", out.poolRandom).optional("pool_whole", out.poolWhole);
  fields.optional("unmeasured", out.unmeasured);
  fields.optional("held_out", heldOut).optional("smallest_set", smallestSet);
  if (fields.has("held_out"))
    out.heldOut = heldOut;
  if (fields.has("smallest_set"))
    out.smallestSet = smallestSet;
  return fields.finish();
}

static Error readSpec(StringRef path, PackageSpec &spec) {
  std::string text, tuned;
  if (Error error = readFile(path, text))
    return error;
  Expected<JsonText> json = JsonText::parse(text, path);
  if (!json)
    return json.takeError();
  JsonFields fields(json->root());
  fields.required("kernel", spec.kernel).required("kernel_hash", spec.kernelHash);
  fields.required("tool_version", spec.toolVersion).optional("tuned", tuned);
  fields.with("figures", [&](JsonCursor member) { return readJson(member, spec.figures); });
  fields.with("signatures", [&](JsonCursor member) { return readList(member, spec.signatures); });
  if (fields.has("tuned"))
    spec.tunedText = tuned;
  return fields.finish();
}

static Error makePackage(StringRef path, StringRef folder) {
  PackageSpec spec;
  if (Error error = readSpec(path, spec))
    return error;
  return writePackage(spec, folder);
}

} // namespace helion

int main(int argc, char **argv) {
  if (argc != 3) {
    errs() << "usage: package-from-json SPEC.json FOLDER\n";
    return 2;
  }
  if (Error error = helion::makePackage(argv[1], argv[2])) {
    errs() << "package-from-json: " << toString(std::move(error)) << "\n";
    return 1;
  }
  return 0;
}
