// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of a run directory, its lock, and files that are whole or absent.
#include "aot-runner/Journal/RunDir.h"
#include "test/Unit/AotRunnerJournal/ScratchDir.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace helion::aot;

namespace {

TEST(RunDir, LayoutAndObjects) {
  ScratchDir dir;
  std::string root = dir.file("deep/run");
  RunDir run = cantFail(RunDir::open(root));
  EXPECT_EQ(run.journalPath(), root + "/journal.sqlite");
  EXPECT_EQ(run.libraryPath("ab"), root + "/artifacts/ab.so");
  EXPECT_EQ(run.logPath("worker"), root + "/logs/worker.log");
  EXPECT_TRUE(sys::fs::is_directory(root + "/logs"));
  std::string object("\x7f"
                     "ELF\0x",
                     6);
  std::string path = cantFail(run.storeObject("ab", object));
  EXPECT_EQ(path, run.objectPath("ab"));
  EXPECT_EQ(cantFail(readWholeFile(path)), object);
  EXPECT_EQ(cantFail(run.storeObject("ab", "other")), path);
  EXPECT_EQ(cantFail(readWholeFile(path)), object);
}

TEST(RunDir, OneProgramAtATime) {
  ScratchDir dir;
  {
    RunDir run = cantFail(RunDir::open(dir.folder()));
    EXPECT_EQ(toString(RunDir::open(dir.folder()).takeError()),
              "run directory `" + dir.folder() +
                  "` is locked by another program that writes to it; wait for it or use another one");
  }
  EXPECT_TRUE(bool(RunDir::open(dir.folder())));
}

TEST(RunDir, WhatAKilledProgramLeftIsRemoved) {
  ScratchDir dir;
  EXPECT_FALSE(RunDir::exists(dir.folder()));
  {
    cantFail(RunDir::open(dir.folder()));
  }
  for (const char *name : {"a.o", "a.o.1234.tmp", "a.so", "b.so.partial"})
    cantFail(writeFileDurably(dir.file("artifacts") + "/" + name, "x"));
  cantFail(RunDir::open(dir.folder()));
  for (const char *name : {"a.o", "a.so"})
    EXPECT_TRUE(sys::fs::exists(dir.file("artifacts") + "/" + name)) << name;
  for (const char *name : {"a.o.1234.tmp", "b.so.partial"})
    EXPECT_FALSE(sys::fs::exists(dir.file("artifacts") + "/" + name)) << name;
  cantFail(writeFileDurably(dir.file("journal.sqlite"), ""));
  EXPECT_TRUE(RunDir::exists(dir.folder()));
}

TEST(RunDir, FileInTheWay) {
  ScratchDir dir;
  cantFail(writeFileDurably(dir.file("run"), "x"));
  EXPECT_EQ(toString(RunDir::open(dir.file("run")).takeError()),
            "cannot make run directory `" + dir.file("run") + "`: Not a directory");
}

TEST(DurableFile, ReplacesAndLeavesNothingBehind) {
  ScratchDir dir;
  std::string path = dir.file("f");
  cantFail(writeFileDurably(path, "one"));
  cantFail(writeFileDurably(path, ""));
  EXPECT_EQ(cantFail(readWholeFile(path)), "");
  std::error_code code;
  unsigned count = 0;
  for (sys::fs::directory_iterator at(dir.folder(), code), end; at != end && !code; at.increment(code))
    ++count;
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(toString(writeFileDurably(dir.file("no/f"), "x")),
            "cannot write `" + dir.file("no/f") + "`: No such file or directory");
  EXPECT_EQ(toString(readWholeFile(dir.file("g")).takeError()),
            "cannot read `" + dir.file("g") + "`: No such file or directory");
}

} // namespace
