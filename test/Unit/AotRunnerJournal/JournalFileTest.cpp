// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The journal's file: locks, versions, full disks, folders that cannot be written, and a writer that is killed.
#include "aot-runner/Journal/Journal.h"
#include "aot-runner/Journal/JournalSchema.h"
#include "test/Unit/AotRunnerJournal/ScratchDir.h"
#include "gtest/gtest.h"
#include <csignal>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace helion::aot;

namespace {

using Mode = Journal::Mode;

std::string openError(const std::string &path, Mode mode) {
  Expected<Journal> journal = Journal::open(path, mode);
  return journal ? "ok" : toString(journal.takeError());
}

void addRows(Journal &journal, int first, int last) {
  for (int row = first; row < last; ++row)
    cantFail(journal.addRow("r" + std::to_string(row), "{}"));
}

TEST(JournalFile, OneWriterManyReaders) {
  ScratchDir dir;
  std::string path = dir.file("j.sqlite");
  EXPECT_EQ(openError(path, Mode::Read), "journal `" + path +
                                             "` cannot be opened: the file is missing, or its folder "
                                             "is missing or read-only");
  Journal writer = cantFail(Journal::open(path, Mode::Write));
  EXPECT_TRUE(writer.usesWal());
  addRows(writer, 0, 1);
  EXPECT_EQ(openError(path, Mode::Write),
            "journal `" + path + "` is locked by another program that writes to it; wait for it or use another one");
  Journal reader = cantFail(Journal::open(path, Mode::Read));
  EXPECT_EQ(cantFail(reader.rows()).size(), 1u);
  addRows(writer, 1, 2);
  EXPECT_EQ(cantFail(reader.rows()).size(), 2u);
  EXPECT_EQ(toString(reader.addRow("x", "{}")),
            "journal `" + path + "` cannot be written: the file or its folder is read-only");
}

TEST(JournalFile, LostTablesAreErrors) {
  ScratchDir dir;
  for (const char *table : {"verdict", "first_run"}) {
    std::string path = dir.file(std::string(table) + ".sqlite");
    {
      Journal writer = cantFail(Journal::open(path, Mode::Write));
      cantFail(writer.addArtifact({"a", "{}", "o"}));
      addRows(writer, 0, 1);
      cantFail(writer.addVerdict("a", "r0", CheckResult()));
    }
    Sqlite::Options options;
    options.write = true;
    cantFail(cantFail(Sqlite::open(path, path, options)).run("DROP TABLE " + std::string(table)));
    Journal writer = cantFail(Journal::open(path, Mode::Write));
    EXPECT_EQ(toString(writer.addVerdict("a", "r0", CheckResult())), "journal `" + path + "`: no such table: " + table);
  }
}

TEST(JournalFile, RollbackJournalWhereWalCannotWork) {
  ScratchDir dir;
  std::string path = dir.file("j.sqlite");
  Journal::Options options;
  options.vfs = "unix-dotfile"; // Has no shared memory.
  {
    Journal writer = cantFail(Journal::open(path, Mode::Write, options));
    EXPECT_FALSE(writer.usesWal());
    addRows(writer, 0, 3);
  }
  Journal reader = cantFail(Journal::open(path, Mode::Read, options));
  EXPECT_EQ(cantFail(reader.rows()).size(), 3u);
}

TEST(JournalFile, FullIsAnErrorThatLosesNothing) {
  ScratchDir dir;
  std::string path = dir.file("j.sqlite");
  Journal::Options options;
  options.maxBytes = 400000;
  Journal writer = cantFail(Journal::open(path, Mode::Write, options));
  addRows(writer, 0, 2);
  cantFail(writer.addArtifact({"small", "{}", std::string(100000, 'x')}));
  EXPECT_EQ(toString(writer.addArtifact({"big", "{}", std::string(1000000, 'x')})),
            "journal `" + path + "` is full: the disk or the size limit is reached; free space or run `journal gc`");
  EXPECT_EQ(cantFail(writer.rows()).size(), 2u);
  addRows(writer, 2, 3);
  EXPECT_FALSE(cantFail(writer.findArtifact("big")));
}

TEST(JournalFile, OtherFiles) {
  ScratchDir dir;
  std::string text = dir.file("text"), other = dir.file("other"), newer = dir.file("newer");
  cantFail(writeFileDurably(text, std::string(5000, 'x')));
  EXPECT_EQ(openError(text, Mode::Write), "journal `" + text + "` is no SQLite file");
  EXPECT_EQ(openError(text, Mode::Read), "journal `" + text + "` is no SQLite file");
  Sqlite::Options options;
  options.write = true;
  cantFail(cantFail(Sqlite::open(other, "other", options)).run("CREATE TABLE t(x)"));
  EXPECT_EQ(openError(other, Mode::Write), "`" + other + "` is a SQLite file but no journal");
  EXPECT_EQ(openError(newer, Mode::Write), "ok");
  cantFail(cantFail(Sqlite::open(newer, "newer", options)).run("PRAGMA user_version=99"));
  EXPECT_EQ(openError(newer, Mode::Write),
            "journal `" + newer + "` has version `99`, this tool reads up to `2`; use a newer tool");
}

TEST(JournalFile, EmptyFileIsVersion0) {
  ScratchDir dir;
  std::string path = dir.file("j");
  cantFail(writeFileDurably(path, ""));
  EXPECT_EQ(openError(path, Mode::Read),
            "journal `" + path + "` has version `0`; open it once for writing, which brings it to `2`");
  EXPECT_EQ(openError(path, Mode::Write), "ok");
  EXPECT_EQ(openError(path, Mode::Read), "ok");
}

// The oldest journal there is: opened for writing, it gets what it lacks and keeps what it has.
TEST(JournalFile, Version1IsBroughtUpToDate) {
  ScratchDir dir;
  std::string path = dir.file("j");
  {
    Sqlite::Options options;
    options.write = true;
    Sqlite database = cantFail(Sqlite::open(path, "old", options));
    cantFail(database.run(schema::migrations[0].sql));
    cantFail(database.run("INSERT INTO artifact(hash, manifest) VALUES('a', '{}'); INSERT INTO case_(key, args) "
                          "VALUES('r', '{}'); INSERT INTO verdict VALUES(1, 1, 3, 0, 0, 0, 'as it was')"));
    cantFail(
        database.run("PRAGMA application_id=" + std::to_string(schema::applicationId) + "; PRAGMA user_version=1"));
  }
  EXPECT_EQ(openError(path, Mode::Read),
            "journal `" + path + "` has version `1`; open it once for writing, which brings it to `2`");
  Journal journal = cantFail(Journal::open(path, Mode::Write));
  EXPECT_EQ(cantFail(journal.findVerdict("a", "r"))->message, "as it was");
  EXPECT_FALSE(cantFail(journal.findFirstRun("a", "r")));
  cantFail(journal.addFirstRun("a", "r", {{CheckVerdict::Ok, 1, 2, 3, ""}, "h"}));
  EXPECT_EQ(cantFail(journal.findFirstRun("a", "r"))->outputs, "h");
}

/// Runs `body` in a child, as a user whom permissions bind even when the test runs as root; gives what it printed.
template <typename Body> std::string asOrdinaryUser(Body body) {
  int pipes[2];
  EXPECT_EQ(pipe(pipes), 0);
  pid_t child = fork();
  if (child == 0) {
    if (getuid() == 0 && setuid(65534) != 0)
      _exit(2);
    std::string text = body();
    ssize_t written = write(pipes[1], text.data(), text.size());
    _exit(written == ssize_t(text.size()) ? 0 : 1);
  }
  close(pipes[1]);
  std::string text;
  char buffer[512];
  for (ssize_t count; (count = read(pipes[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, count);
  close(pipes[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return text;
}

TEST(JournalFile, FolderThatCannotBeWritten) {
  ScratchDir dir;
  // A test runner's folder for temporary files may be closed to other users; this one must be reached by one.
  std::string folder(dir.folder()), parent = folder.substr(0, folder.rfind('/'));
  struct stat before;
  ASSERT_EQ(stat(parent.c_str(), &before), 0);
  chmod(parent.c_str(), (before.st_mode & 07777) | 0055);
  std::string path = dir.file("j.sqlite");
  {
    Journal writer = cantFail(Journal::open(path, Mode::Write));
    addRows(writer, 0, 3);
  }
  chmod(path.c_str(), 0444);
  chmod((path + ".writer").c_str(), 0444);
  chmod(dir.folder().c_str(), 0555);
  EXPECT_EQ(asOrdinaryUser([&] { return openError(path, Mode::Write); }),
            "cannot write journal `" + path + "`: Permission denied");
  EXPECT_EQ(asOrdinaryUser([&] { return openError(dir.file("new"), Mode::Write); }),
            "cannot write journal `" + dir.file("new") + "`: Permission denied");
  // Reading needs no writing.
  EXPECT_EQ(asOrdinaryUser([&] {
              Expected<Journal> reader = Journal::open(path, Mode::Read);
              return reader ? std::to_string(cantFail(reader->rows()).size()) : toString(reader.takeError());
            }),
            "3");
  chmod(dir.folder().c_str(), 0755);
}

/// The child adds samples without end and tells the ordinal of each after its add returned.
[[noreturn]] void addUntilKilled(const std::string &path, int out) {
  Journal writer = cantFail(Journal::open(path, Mode::Write));
  cantFail(writer.addSession({"s", "d", "p", 1}));
  cantFail(writer.addArtifact({"h", "{}", "o"}));
  cantFail(writer.addRow("r", "{}"));
  for (int64_t ordinal = 0;; ++ordinal) {
    Sample sample;
    sample.artifact = "h";
    sample.row = "r";
    sample.session = "s";
    sample.mode = "cold";
    sample.ordinal = ordinal;
    sample.timesNs = std::vector<double>(50, double(ordinal));
    cantFail(writer.addSample(sample));
    if (write(out, &ordinal, sizeof ordinal) != sizeof ordinal)
      _exit(1);
  }
}

TEST(JournalFile, KilledWriterLosesAtMostTheSampleInFlight) {
  ScratchDir dir;
  std::string path = dir.file("j.sqlite");
  for (int64_t goal : {1, 40, 333}) {
    std::string file = path + std::to_string(goal);
    int pipes[2];
    ASSERT_EQ(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0)
      addUntilKilled(file, pipes[1]);
    close(pipes[1]);
    int64_t last = -1;
    while (last < goal)
      ASSERT_EQ(read(pipes[0], &last, sizeof last), ssize_t(sizeof last));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    while (read(pipes[0], &last, sizeof last) > 0)
      ;
    close(pipes[0]);
    // The lock died with its holder.
    Journal writer = cantFail(Journal::open(file, Mode::Write));
    std::vector<Sample> samples = cantFail(writer.samples());
    EXPECT_GE(int64_t(samples.size()), last + 1);
    EXPECT_LE(int64_t(samples.size()), last + 2);
    for (size_t ordinal = 0; ordinal < samples.size(); ++ordinal) {
      EXPECT_EQ(samples[ordinal].ordinal, int64_t(ordinal));
      EXPECT_EQ(samples[ordinal].medianNs, double(ordinal));
      EXPECT_EQ(samples[ordinal].timesNs.size(), 50u);
    }
    addRows(writer, 0, 1);
  }
}

} // namespace
