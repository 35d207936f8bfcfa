// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row of a table for each command: its arguments, its flags, its function. Errors are one line; a command that
// fails changes nothing.
#include "JournalCommand.h"

#include "aot-runner/Journal/DurableFile.h"
#include "aot-runner/Journal/MergeJournals.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace helion::aot;
namespace json = llvm::json;

static constexpr char kHelp[] = R"(OVERVIEW: What helion-aot has learnt, in journals.

USAGE: helion-aot journal <command> ..

  stats RUN [--json]      counts compiles, artifacts, rows, verdicts, sessions, samples and bytes
  merge DEST SRC..        adds all records of the SRCs to DEST, or none where one cannot be read
  export RUN [-o FILE]    writes all records as sorted JSON lines: equal records give equal text
  gc RUN [--keep SIZE]    drops objects, then single times, of the slowest artifacts first, until
                          SIZE is left (default 16MiB); verdicts and medians stay, and objects
                          that are needed again are compiled again

RUN, DEST and SRC are run directories or journal files. A DEST that is not there is made: a file where
its name ends in .sqlite, else a run directory. A journal that helion-aot writes to may be read, but not
merged into or made smaller.

Exit: 0 done, 1 bad input, 2 usage.
)";

namespace {
/// A command line after its command.
struct Words {
  std::vector<std::string> paths;
  std::string output;
  int64_t keep = 16 << 20;
  bool json = false;
};

struct Command {
  llvm::StringLiteral name, usage;
  size_t fewest, most; // Paths.
  llvm::StringLiteral flag;
  llvm::Error (*run)(const Words &words, llvm::raw_ostream &out);
};
} // namespace

//===-- Commands --------------------------------------------------------------------------------------------------===//

static llvm::Error printStats(const Words &words, llvm::raw_ostream &out) {
  llvm::Expected<Journal> journal = openJournal(words.paths[0], Journal::Mode::Read);
  if (!journal)
    return journal.takeError();
  llvm::Expected<JournalStats> stats = journal->stats();
  if (!stats)
    return stats.takeError();
  const std::pair<llvm::StringLiteral, int64_t> numbers[] = {
      {"compiles", stats->compiles},        {"artifacts", stats->artifacts}, {"objects", stats->objects},
      {"object_bytes", stats->objectBytes}, {"rows", stats->rows},           {"verdicts", stats->verdicts},
      {"sessions", stats->sessions},        {"samples", stats->samples},     {"file_bytes", stats->fileBytes}};
  json::Object object;
  for (auto &[name, number] : numbers) {
    object[name] = number;
    if (!words.json)
      out << llvm::formatv("{0,-12} {1,12}\n", name, number);
  }
  if (words.json)
    out << llvm::formatv("{0}\n", json::Value(std::move(object)));
  return llvm::Error::success();
}

static llvm::Error merge(const Words &words, llvm::raw_ostream &) {
  llvm::ArrayRef<std::string> sources = llvm::ArrayRef(words.paths).drop_front();
  for (const std::string &source : sources)
    if (!llvm::sys::fs::exists(journalFile(source)))
      return llvm::createStringError("`" + source + "` is neither a run directory nor a journal");
  return mergeJournals(words.paths[0], sources);
}

static llvm::Error exportText(const Words &words, llvm::raw_ostream &out) {
  llvm::Expected<Journal> journal = openJournal(words.paths[0], Journal::Mode::Read);
  if (!journal)
    return journal.takeError();
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::Error error = journal->exportText(stream))
    return error;
  if (!words.output.empty())
    return writeFileDurably(words.output, text);
  out << text;
  return llvm::Error::success();
}

static llvm::Error collectGarbage(const Words &words, llvm::raw_ostream &out) {
  llvm::Expected<Journal> journal = openJournal(words.paths[0], Journal::Mode::Write);
  if (!journal)
    return journal.takeError();
  llvm::Expected<GcReport> report = journal->gc(words.keep);
  if (!report)
    return report.takeError();
  out << llvm::formatv("{0} bytes before, {1} after; dropped the objects of {2} artifacts, the times of {3}{4}\n",
                       report->bytesBefore, report->bytesAfter, report->droppedObjects, report->droppedTimes,
                       report->bytesAfter > words.keep ? "; nothing is left to drop" : "");
  return llvm::Error::success();
}

//===-- The command line ------------------------------------------------------------------------------------------===//

static constexpr size_t kAny = ~size_t(0);
static constexpr Command commands[] = {
    {"stats", "stats RUN [--json]", 1, 1, "--json", printStats},
    {"merge", "merge DEST SRC..", 2, kAny, "", merge},
    {"export", "export RUN [-o FILE]", 1, 1, "-o", exportText},
    {"gc", "gc RUN [--keep SIZE]", 1, 1, "--keep", collectGarbage},
};

/// `4096`, `64KiB`, `16MiB`, `1GiB`
static llvm::Error readSize(llvm::StringRef text, int64_t &bytes) {
  static constexpr std::pair<llvm::StringLiteral, unsigned> units[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
  llvm::StringRef digits = text;
  unsigned bits = 0;
  for (auto &[unit, power] : units)
    if (digits.consume_back(unit))
      bits = power;
  constexpr unsigned kBits = 62;
  uint64_t number = 0;
  if (digits.getAsInteger(10, number) || number >> (kBits - bits))
    return llvm::createStringError("`--keep` is `" + text + "`; give bytes, such as `4096`, `64KiB` or `16MiB`");
  bytes = static_cast<int64_t>(number << bits);
  return llvm::Error::success();
}

/// Takes the value of a flag, which follows it or its `=`.
static llvm::Error readFlag(llvm::StringRef flag, llvm::StringRef value, bool hasValue, Words &words) {
  if (flag == "--json") {
    words.json = true;
    return hasValue ? llvm::createStringError("`--json` takes no value") : llvm::Error::success();
  }
  if (!hasValue || value.empty())
    return llvm::createStringError("`" + flag + "` lacks its value");
  if (flag == "--keep")
    return readSize(value, words.keep);
  words.output = value.str();
  return llvm::Error::success();
}

static llvm::Expected<Words> readWords(const Command &command, llvm::ArrayRef<llvm::StringRef> list) {
  Words words;
  auto usage = [&](const llvm::Twine &what) {
    return llvm::createStringError(what + "; use `helion-aot journal " + command.usage + "`");
  };
  for (size_t at = 0; at < list.size(); ++at) {
    llvm::StringRef word = list[at];
    if (word.size() < 2 || word[0] != '-') {
      words.paths.push_back(word.str());
      continue;
    }
    bool hasEqual = word.contains('=');
    auto [flag, value] = word.split('=');
    if (command.flag.empty() || flag != command.flag)
      return usage("unknown flag `" + word + "`");
    bool hasNext = !hasEqual && flag != "--json" && at + 1 < list.size();
    if (hasNext)
      value = list[++at];
    if (llvm::Error error = readFlag(flag, value, hasEqual || hasNext, words))
      return std::move(error);
  }
  if (words.paths.size() < command.fewest || words.paths.size() > command.most)
    return usage("`journal " + command.name + "` got " + llvm::Twine(words.paths.size()) + " of its paths");
  for (const std::string &path : words.paths)
    if (path.empty())
      return usage("a path is empty");
  return words;
}

ExitCode helion::aot::runJournalCommand(llvm::ArrayRef<llvm::StringRef> words, llvm::raw_ostream &out,
                                        llvm::raw_ostream &err) {
  bool wantsHelp = llvm::any_of(words, [](llvm::StringRef word) { return word == "--help" || word == "-h"; });
  if (wantsHelp) {
    out << kHelp;
    return ExitCode::Met;
  }
  const Command *command = words.empty()
                               ? std::end(commands)
                               : llvm::find_if(commands, [&](const Command &known) { return known.name == words[0]; });
  if (command == std::end(commands)) {
    err << "helion-aot: " << (words.empty() ? "no command" : "unknown command `" + words[0] + "`").str()
        << " of `journal`; known are `stats`, `merge`, `export`, `gc`\n";
    return ExitCode::Usage;
  }
  llvm::Expected<Words> read = readWords(*command, words.drop_front());
  if (!read) {
    err << "helion-aot: " << llvm::toString(read.takeError()) << "\n";
    return ExitCode::Usage;
  }
  if (llvm::Error error = command->run(*read, out)) {
    err << "helion-aot: " << llvm::toString(std::move(error)) << "\n";
    return ExitCode::BadInput;
  }
  return ExitCode::Met;
}
