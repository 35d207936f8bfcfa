// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of a journal, the laws of merging, shrinking, and the canonical text.
#include "aot-runner/Journal/Journal.h"
#include "test/Unit/AotRunnerJournal/ScratchDir.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace llvm;
using namespace helion::aot;

namespace {

Journal create(const std::string &path) { return cantFail(Journal::open(path, Journal::Mode::Write)); }

std::string textOf(Journal &journal) {
  std::string text;
  raw_string_ostream os(text);
  cantFail(journal.exportText(os));
  return text;
}

std::string textOfFile(const std::string &path) {
  Journal journal = cantFail(Journal::open(path, Journal::Mode::Read));
  return textOf(journal);
}

TEST(Journal, Compiles) {
  ScratchDir dir;
  Journal journal = create(dir.file("j.sqlite"));
  CompileKey key{"kernel", "config", "build"}, other{"kernel", "config2", "build"};
  EXPECT_NE(key.hash(), other.hash());
  EXPECT_FALSE(cantFail(journal.findCompile(key)));
  cantFail(journal.addCompile(key, {CompileVerdict::Ok, "a0", ""}));
  cantFail(journal.addCompile(other, {CompileVerdict::Rejected, "", "site `x` is unknown"}));
  std::optional<CompileResult> found = cantFail(journal.findCompile(key));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->verdict, CompileVerdict::Ok);
  EXPECT_EQ(found->artifact, "a0");
  found = cantFail(journal.findCompile(other));
  EXPECT_EQ(found->message, "site `x` is unknown");
  EXPECT_EQ(cantFail(journal.compiles("kernel")).size(), 2u);
  EXPECT_EQ(cantFail(journal.compiles("other")).size(), 0u);
  EXPECT_EQ(cantFail(journal.compiles())[1].key.config, "config2");
}

TEST(Journal, ArtifactsKeepTheirObjectAndTheSmallestManifest) {
  ScratchDir dir;
  Journal journal = create(dir.file("j.sqlite"));
  std::string object("\0\1\2", 3);
  cantFail(journal.addArtifact({"h", "{\"b\":1}", object}));
  cantFail(journal.addArtifact({"h", "{\"a\":1}", ""}));
  std::optional<Artifact> found = cantFail(journal.findArtifact("h"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->object, object);
  EXPECT_EQ(found->manifest, "{\"a\":1}");
  EXPECT_FALSE(cantFail(journal.findArtifact("g")));
}

TEST(Journal, TheWorstVerdictStays) {
  ScratchDir dir;
  Journal journal = create(dir.file("j.sqlite"));
  EXPECT_EQ(toString(journal.addVerdict("h", "r", {})),
            "journal `" + dir.file("j.sqlite") + "` has no artifact `h`; add it first");
  cantFail(journal.addArtifact({"h", "{}", "o"}));
  EXPECT_EQ(toString(journal.addVerdict("h", "r", {})),
            "journal `" + dir.file("j.sqlite") + "` has no row `r`; add it first");
  cantFail(journal.addRow("r", "{\"n\":1}"));
  EXPECT_FALSE(cantFail(journal.findVerdict("h", "r")));
  cantFail(journal.addVerdict("h", "r", {CheckVerdict::Wrong, 0.5, NAN, 0.01, "element 3"}));
  cantFail(journal.addVerdict("h", "r", {CheckVerdict::Ok, 0, 0, 0.01, ""}));
  std::optional<CheckResult> found = cantFail(journal.findVerdict("h", "r"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->verdict, CheckVerdict::Wrong);
  EXPECT_EQ(found->maxAbs, 0.5);
  EXPECT_TRUE(std::isinf(found->maxRel));
  EXPECT_EQ(found->message, "element 3");
  EXPECT_EQ(cantFail(journal.findRow("r")), "{\"n\":1}");
  EXPECT_EQ(cantFail(journal.rows()), std::vector<std::string>{"r"});
}

Sample makeSample(StringRef artifact, StringRef row, StringRef session, int64_t ordinal, std::vector<double> times) {
  Sample sample;
  sample.artifact = artifact.str();
  sample.row = row.str();
  sample.session = session.str();
  sample.mode = "cold";
  sample.ordinal = ordinal;
  sample.timesNs = std::move(times);
  return sample;
}

TEST(Journal, SamplesAndQueries) {
  ScratchDir dir;
  Journal journal = create(dir.file("j.sqlite"));
  Session first = cantFail(journal.startSession("zen", "p1")), second = cantFail(journal.startSession("zen", "p2"));
  EXPECT_EQ(first.id.size(), 32u);
  EXPECT_NE(first.id, second.id);
  EXPECT_EQ(second.started, 2);
  cantFail(journal.addArtifact({"h", "{}", "o"}));
  cantFail(journal.addArtifact({"g", "{}", "o"}));
  cantFail(journal.addRow("r", "{}"));
  cantFail(journal.addSample(makeSample("h", "r", first.id, 0, {3.0004, 1, 2.5, 1e9})));
  cantFail(journal.addSample(makeSample("h", "r", first.id, 1, {5})));
  Sample anchor = makeSample("g", "r", second.id, 0, {7, 8, 9});
  anchor.anchor = true;
  anchor.mode = "warm";
  cantFail(journal.addSample(anchor));

  std::vector<Sample> all = cantFail(journal.samples());
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].artifact, "g");
  EXPECT_EQ(all[0].deviceClass, "zen");
  EXPECT_EQ(all[0].protocol, "p2");
  EXPECT_EQ(all[0].medianNs, 8);
  EXPECT_TRUE(all[0].anchor);
  EXPECT_EQ(all[1].timesNs, (std::vector<double>{3, 1, 2.5, 1e9})); // To the picosecond.
  EXPECT_EQ(all[1].medianNs, 2.75);

  auto count = [&](const SampleQuery &query) { return cantFail(journal.samples(query)).size(); };
  SampleQuery query;
  query.artifact = "h";
  EXPECT_EQ(count(query), 2u);
  query.protocol = "p2";
  EXPECT_EQ(count(query), 0u);
  query = {};
  query.anchor = false;
  EXPECT_EQ(count(query), 2u);
  query.mode = "cold";
  query.session = first.id;
  query.row = "r";
  query.deviceClass = "zen";
  EXPECT_EQ(count(query), 2u);
}

TEST(Journal, SamplesThatAreRefused) {
  ScratchDir dir;
  std::string path = dir.file("j.sqlite");
  Journal journal = create(path);
  cantFail(journal.addSession({"s", "d", "p", 1}));
  cantFail(journal.addArtifact({"h", "{}", "o"}));
  cantFail(journal.addRow("r", "{}"));
  auto add = [&](const Sample &sample) { return toString(journal.addSample(sample)); };
  EXPECT_EQ(add(makeSample("h", "r", "t", 0, {1})), "journal `" + path + "` has no session `t`; add it first");
  EXPECT_EQ(add(makeSample("h", "r", "s", 0, {})), "a sample needs at least one time");
  EXPECT_EQ(add(makeSample("h", "r", "s", 0, {-1})), "saw a time of `-1` ns, expected 0 to `1e15`");
  EXPECT_EQ(add(makeSample("h", "r", "s", 0, {NAN})), "saw a time of `nan` ns, expected 0 to `1e15`");
  EXPECT_EQ(cantFail(journal.stats()).samples, 0);
}

/// Fills a journal with random records over few keys, so that two such journals often have different records under one.
void fillRandomly(Journal &journal, std::mt19937 &random) {
  auto pick = [&](int high) { return int(random() % unsigned(high)); };
  auto letter = [&](char prefix) { return std::string(1, prefix) + std::to_string(pick(4)); };
  for (int index = 0; index < 4; ++index) {
    std::string digit = std::to_string(index);
    cantFail(journal.addArtifact({"a" + digit, "{\"config\":" + std::to_string(pick(3)) + "}", pick(2) ? "obj" : ""}));
    cantFail(journal.addRow("r" + digit, "{\"n\":" + digit + "}"));
    cantFail(journal.addSession({"s" + digit, "d", "p", 1 + pick(2)}));
  }
  int records = pick(12);
  for (int round = 0; round < records; ++round) {
    cantFail(journal.addCompile({"k", letter('c'), "b"},
                                {CompileVerdict(pick(3)), pick(2) ? letter('a') : "", pick(2) ? "why" : ""}));
    cantFail(journal.addVerdict(letter('a'), letter('r'),
                                {CheckVerdict(pick(8)), double(pick(2)), pick(3) ? double(pick(2)) : NAN, 0.5, ""}));
    Sample sample = makeSample(letter('a'), letter('r'), letter('s'), pick(2), {1.0 + pick(3), 1.0 + pick(300)});
    sample.anchor = pick(2);
    cantFail(journal.addSample(sample));
  }
}

/// A new journal at `path` with the records of `parts`, merged in their order.
std::string mergeInto(const std::string &path, std::initializer_list<std::string> parts) {
  Journal journal = create(path);
  for (const std::string &part : parts)
    cantFail(journal.merge(part));
  return textOf(journal);
}

TEST(Journal, MergeIsAUnion) {
  std::mt19937 random(11);
  for (int round = 0; round < 5; ++round) {
    ScratchDir dir;
    std::string a = dir.file("a"), b = dir.file("b"), c = dir.file("c");
    for (const std::string &path : {a, b, c}) {
      Journal journal = create(path);
      fillRandomly(journal, random);
    }
    std::string textOfA = textOfFile(a);
    EXPECT_EQ(mergeInto(dir.file("copy"), {a}), textOfA);
    EXPECT_EQ(mergeInto(dir.file("aa"), {a, a}), textOfA);
    std::string ab = mergeInto(dir.file("ab"), {a, b});
    EXPECT_EQ(mergeInto(dir.file("ba"), {b, a}), ab);
    EXPECT_EQ(mergeInto(dir.file("aba"), {a, b, a}), ab);
    std::string abc = mergeInto(dir.file("abc"), {a, b, c});
    mergeInto(dir.file("bc"), {b, c});
    EXPECT_EQ(mergeInto(dir.file("a_bc"), {a, dir.file("bc")}), abc);
    EXPECT_EQ(mergeInto(dir.file("cba"), {c, b, a}), abc);
    EXPECT_EQ(textOfFile(a), textOfA) << "merging changed its source";
  }
}

TEST(Journal, MergeAlsoBringsObjects) {
  ScratchDir dir;
  {
    Journal journal = create(dir.file("a"));
    cantFail(journal.addArtifact({"h", "{}", "object"}));
  }
  Journal journal = create(dir.file("b"));
  cantFail(journal.addArtifact({"h", "{}", ""}));
  cantFail(journal.merge(dir.file("a")));
  EXPECT_EQ(cantFail(journal.findArtifact("h"))->object, "object");
  EXPECT_EQ(toString(journal.merge(dir.file("none"))),
            "journal `" + dir.file("none") +
                "` cannot be opened: the file is missing, or its folder is missing or read-only");
}

TEST(Journal, FirstRunsLastUntilTheVerdict) {
  ScratchDir dir;
  Journal journal = create(dir.file("j"));
  cantFail(journal.addArtifact({"h", "{}", ""}));
  EXPECT_EQ(toString(journal.addFirstRun("h", "r", {})),
            "journal `" + dir.file("j") + "` has no row `r`; add it first");
  cantFail(journal.addRow("r", "{}"));
  EXPECT_FALSE(cantFail(journal.findFirstRun("h", "r")));
  cantFail(journal.addFirstRun("h", "r", {{CheckVerdict::Ok, 0.5, INFINITY, 0.25, ""}, "outputs"}));
  std::optional<FirstRun> found = cantFail(journal.findFirstRun("h", "r"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->outputs, "outputs");
  EXPECT_EQ(found->result.maxAbs, 0.5);
  EXPECT_EQ(found->result.maxRel, INFINITY);
  EXPECT_EQ(found->result.tolerance, 0.25);
  EXPECT_FALSE(cantFail(journal.findVerdict("h", "r")));
  cantFail(journal.addVerdict("h", "r", {}));
  EXPECT_FALSE(cantFail(journal.findFirstRun("h", "r")));
  EXPECT_TRUE(cantFail(journal.findVerdict("h", "r")));
}

TEST(Journal, CanonicalText) {
  ScratchDir dir;
  Journal journal = create(dir.file("j"));
  cantFail(journal.addSession({"s", "d", "p", 1}));
  cantFail(journal.addArtifact({"h", "{\"kernel\":\"k\"}", "obj"}));
  cantFail(journal.addRow("r", "{\"kernel\":\"k\"}"));
  cantFail(journal.addCompile({"k", "c", "b"}, {CompileVerdict::Ok, "h", ""}));
  cantFail(journal.addVerdict("h", "r", {CheckVerdict::NonDeterministic, 0.1, INFINITY, 0.25, "m"}));
  cantFail(journal.addSample(makeSample("h", "r", "s", 2, {1.5, 2})));
  EXPECT_EQ(textOf(journal),
            R"({"record":"journal","version":2}
{"anchor":false,"artifact":"h","median_ns":1.75,"mode":"cold","ordinal":2,"record":"sample","row":"r","session":"s","times_ns":[1.5,2]}
{"artifact":"h","build":"b","config":"c","kernel_hash":"k","message":"","record":"compile","verdict":"ok"}
{"artifact":"h","max_abs":0.1,"max_rel":"inf","message":"m","record":"verdict","row":"r","tolerance":0.25,"verdict":"non_deterministic"}
{"device_class":"d","id":"s","protocol":"p","record":"session","started":1}
{"hash":"h","manifest":{"kernel":"k"},"object_bytes":3,"record":"artifact"}
{"id":"r","record":"row","row":{"kernel":"k"}}
)");
}

TEST(Journal, GcDropsTheSlowestFirst) {
  ScratchDir dir;
  Journal journal = create(dir.file("j"));
  cantFail(journal.addSession({"s", "d", "p", 1}));
  cantFail(journal.addRow("r", "{}"));
  // Untimed, slow, fast.
  for (const char *hash : {"untimed", "slow", "fast"})
    cantFail(journal.addArtifact({hash, "{}", std::string(200000, 'o')}));
  cantFail(journal.addSample(makeSample("slow", "r", "s", 0, {20})));
  cantFail(journal.addSample(makeSample("fast", "r", "s", 1, {10})));
  int64_t before = cantFail(journal.stats()).fileBytes;
  EXPECT_EQ(cantFail(journal.gc(before)).droppedObjects, 0);
  GcReport report = cantFail(journal.gc(500000));
  EXPECT_EQ(report.bytesBefore, before);
  EXPECT_LE(report.bytesAfter, 500000);
  EXPECT_EQ(report.droppedObjects, 1);
  EXPECT_TRUE(cantFail(journal.findArtifact("untimed"))->object.empty());
  report = cantFail(journal.gc(300000));
  EXPECT_EQ(report.droppedObjects, 1);
  EXPECT_TRUE(cantFail(journal.findArtifact("slow"))->object.empty());
  EXPECT_FALSE(cantFail(journal.findArtifact("fast"))->object.empty());
  report = cantFail(journal.gc(0));
  EXPECT_EQ(report.droppedTimes, 2);
  std::vector<Sample> samples = cantFail(journal.samples());
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_TRUE(samples[0].timesNs.empty());
  EXPECT_EQ(samples[0].medianNs, 10);
}

// The size that the design allows: 40 rows x 200 candidates with 60 times each, and objects of 20 KiB.
TEST(Journal, StaysSmall) {
  ScratchDir dir;
  Journal journal = create(dir.file("j"));
  cantFail(journal.addSession({"s", "d", "p", 1}));
  std::mt19937 random(5);
  for (int row = 0; row < 40; ++row)
    cantFail(journal.addRow("row" + std::to_string(row), "{}"));
  for (int artifact = 0; artifact < 200; ++artifact) {
    std::string hash = "artifact" + std::to_string(artifact);
    cantFail(journal.addArtifact({hash, std::string(2000, ' ') + "{}", std::string(20480, 'o')}));
    for (int row = 0; row < 40; ++row) {
      std::vector<double> times(60);
      for (double &time : times)
        time = 100000 + double(random() % 1000000) / 10;
      cantFail(journal.addSample(makeSample(hash, "row" + std::to_string(row), "s", row, times)));
    }
  }
  JournalStats stats = cantFail(journal.stats());
  EXPECT_EQ(stats.samples, 8000);
  EXPECT_EQ(stats.objectBytes, 200 * 20480);
  EXPECT_LE(stats.fileBytes, 16 << 20);
}

} // namespace
