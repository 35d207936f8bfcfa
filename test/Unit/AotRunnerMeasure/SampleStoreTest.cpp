// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples as selection sees them: two halves, and sessions made comparable by their anchors.
#include "aot-runner/Measure/SampleStore.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace helion::aot;

namespace {
class SampleStoreTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> folder;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("samples", folder));
    path = (folder + "/journal.sqlite").str();
    journal.emplace(llvm::cantFail(Journal::open(path, Journal::Mode::Write)));
    for (const char *hash : {"anchor", "other"})
      llvm::cantFail(journal->addArtifact({hash, "{}", "object"}));
    llvm::cantFail(journal->addRow("row", "{}"));
    store.emplace(llvm::cantFail(SampleStore::load(*journal, "box", "v1", "cold")));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(llvm::StringRef(path).rsplit('/').first); }

  void add(const Session &session, const char *artifact, std::vector<double> times, bool anchor = false) {
    Sample sample;
    sample.artifact = artifact;
    sample.row = "row";
    sample.session = session.id;
    sample.mode = "cold";
    sample.ordinal = ordinal++;
    sample.anchor = anchor;
    sample.timesNs = std::move(times);
    llvm::cantFail(store->add(*journal, sample));
  }
  Session session() { return llvm::cantFail(journal->startSession("box", "v1")); }

  std::string path;
  std::optional<Journal> journal;
  std::optional<SampleStore> store;
  int64_t ordinal = 0;
};
} // namespace

TEST_F(SampleStoreTest, OneSampleIsDealtOut) {
  add(session(), "other", {1, 2, 3, 4});
  SampleHalves halves = store->halves("row", "other");
  EXPECT_EQ(halves.pick, (std::vector<double>{1, 3}));
  EXPECT_EQ(halves.judge, (std::vector<double>{2, 4}));
  EXPECT_EQ(store->rounds("row", "other"), 1u);
  EXPECT_EQ(store->rounds("row", "anchor"), 0u);
}

TEST_F(SampleStoreTest, SeveralSamplesTakeTurns) {
  Session now = session();
  add(now, "other", {1, 2});
  add(now, "other", {3});
  add(now, "other", {4});
  SampleHalves halves = store->halves("row", "other");
  EXPECT_EQ(halves.pick, (std::vector<double>{1, 2, 4}));
  EXPECT_EQ(halves.judge, (std::vector<double>{3}));
}

TEST_F(SampleStoreTest, AnchorsScaleOlderSessions) {
  Session before = session();
  add(before, "anchor", {10}, /*anchor=*/true);
  add(before, "other", {20});
  Session now = session();
  add(now, "anchor", {15}, /*anchor=*/true);
  EXPECT_EQ(store->all("row", "other"), (std::vector<double>{30}));
}

TEST_F(SampleStoreTest, ReadsBackWhatItWrote) {
  Session before = session();
  add(before, "anchor", {10}, /*anchor=*/true);
  add(before, "other", {20, 22});
  add(session(), "anchor", {20}, /*anchor=*/true);
  SampleStore again = llvm::cantFail(SampleStore::load(*journal, "box", "v1", "cold"));
  EXPECT_EQ(again.all("row", "other"), store->all("row", "other"));
  EXPECT_EQ(again.all("row", "other"), (std::vector<double>{40, 44}));
  SampleStore elsewhere = llvm::cantFail(SampleStore::load(*journal, "another box", "v1", "cold"));
  EXPECT_TRUE(elsewhere.all("row", "other").empty());
}
