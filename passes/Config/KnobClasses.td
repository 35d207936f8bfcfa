// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a knob is made of. Knobs.td of passes/ and of a target hold the records; utils/gen-knobs.py turns them into
// Knobs.inc (read by passes/Config/Knob.h) and docs/generated/knobs.md.

#ifndef HELION_KNOB_CLASSES
#define HELION_KNOB_CLASSES

/// A pass that takes knobs. The config text names all of a target's, by `order`. Only targets that have the fact
/// `dev.NEEDED` have the pass and its knobs.
class ChoicePass<string passName, int passOrder, string needed = ""> {
  string name = passName;
  int order = passOrder;
  string fact = needed;
}

/// Where in a kernel a knob has a value; the def's name is the C++ enumerator.
class SiteKind<string what> { string text = what; }
def Block : SiteKind<"block of kind `tile` or `registered`">;
def SliceBlock : SiteKind<"block of kind `slice` with a slice that may stay whole">;
def Slice : SiteKind<"full slice that can be rolled">;
def OrderedLoop : SiteKind<"tile loop of two or more dims, free to run in any order">;
def PointwiseGrid : SiteKind<"grid loop of two or more dims from 0 whose body works lane by lane">;
def GroupedGrid : SiteKind<"grid loop of two or more dims">;
def Launch : SiteKind<"launch">;
def InnerLoop : SiteKind<"tile loop inside a grid loop">;
def ConstantLoop : SiteKind<"tile loop inside a grid loop, of constant bounds">;
def StagedLoop : SiteKind<"tile loop inside a grid loop that stores nothing, with loads that go as they are to dots of matrix instructions: of 16-bit "
                          "floats or i8, or of f32 whose precision is tf32 or tf32x3">;
def SlotDotLoop : SiteKind<"such a loop whose dots all multiply two loads of 16-bit floats, with their dims in order">;
def StagedGrid : SiteKind<"launch of one grid loop, with loads whose place follows from the program's number alone, before it stores anything">;
def Dot : SiteKind<"dot">;
def Access : SiteKind<"load or store with a tile among its indices">;
def Load : SiteKind<"load with a tile among its indices, whose source names no policy">;
def Store : SiteKind<"store">;

/// The range of an integer, or of one element of a list. Bounds are expressions over facts of the target
/// (`dev.vector_bytes`); steps double when `step` is empty, from each odd number up to `odd`. `preset` is the default.
class Span<string lowest, string highest, string stride = "1", string start = "", int mostOdd = 1> {
  string low = lowest;
  string high = highest;
  string step = stride;
  string preset = start;
  int odd = mostOdd;
}
class PowersOfTwo<string lowest, string highest, string start = ""> : Span<lowest, highest, "", start>;
/// Powers of two times odd numbers up to `most`.
class OddTimesPowersOfTwo<int most, string lowest, string highest, string start = "">
    : Span<lowest, highest, "", start, most>;

/// What values a knob takes. `samples` are the integers that the search tries, where that is not all of them.
class ValueKind<string kindName> {
  string kind = kindName;
  list<Span> spans = [];
  list<string> words = [];
  list<int> samples = [];
}
class Flag : ValueKind<"Flag">;
class Integer<Span span, list<int> tried = []> : ValueKind<"Integer"> { let spans = [span]; let samples = tried; }
/// An integer, or a word that stands for none.
class IntegerOr<Span span, string none> : ValueKind<"Integer"> { let spans = [span]; let words = [none]; }
class Word<list<string> all> : ValueKind<"Word"> { let words = all; }
class List<list<Span> elements> : ValueKind<"List"> { let spans = elements; }
/// A list, or a word that leaves it to the target.
class ListOr<list<Span> elements, string none> : ValueKind<"List"> { let spans = elements; let words = [none]; }
class Permutation : ValueKind<"Permutation">;

/// A value other than the default has meaning only where `knob`, at the same site or at the launch around it, has one of
/// `values`.
class Needs<string otherKnob, list<string> otherValues> {
  string knob = otherKnob;
  list<string> values = otherValues;
}

/// How Helion's Config spells the knob: `key` is a list with one entry per site in program order, or for `Single` one
/// value for the kernel. `alias` is the singular that stands for a list of one. `words` are `THEIRS=OURS`, where they differ
/// from ours; of several for one of ours the first is written.
class HelionKey<string listKey, string singular = "", bit oneValue = 0, list<string> translated = []> {
  string key = listKey;
  string alias = singular;
  bit single = oneValue;
  list<string> words = translated;
}
def NoHelionKey : HelionKey<"">;

class Knob<string knobName, ChoicePass takenBy, SiteKind at, ValueKind takes> {
  string name = knobName;
  ChoicePass pass = takenBy;
  SiteKind site = at;
  ValueKind value = takes;
  /// The default where it is one value for all sites; else `defaultRule` says how it is found.
  string preset = "";
  string defaultRule = "";
  /// The value whose code serves every size, where the default's does not.
  string universal = "";
  /// Elements that a tile value of the launch may have for each unit of the value, as an expression over facts.
  string elements = "";
  /// And whatever the value.
  string mostElements = "";
  /// Bytes of shared memory that a launch may need at most, as an expression over facts.
  string sharedBytes = "";
  /// Rows, columns and bytes of depth of the matrix instruction that a dot of the loop must run on, with an operand that is a
  /// load, for another value than the default to have a meaning. Expressions over facts.
  list<string> matrix = [];
  /// Rows, columns and bytes of depth of a matrix instruction of several warps, and their number: all dots of the loop must run on
  /// it, with loads as operands as they are, for another value than the default to have a meaning. Expressions over facts.
  list<string> groupMatrix = [];
  /// Of an integer at a loop: it counts copies of the loop's body.
  bit copies = 0;
  /// Words at a launch with which a program runs several tiles, one after another.
  list<string> persistent = [];
  list<Needs> needs = [];
  /// Only targets that have the fact `dev.NEEDED` have the knob.
  string fact = "";
  HelionKey helion = NoHelionKey;
  string summary = ?;
  string pickWhen = ?;
  string cost = ?;
  string notLegal = "none";
}

/// A key of Helion's Config without a meaning here: read, and reported as ignored, where no knob of the target takes it.
class IgnoredHelionKey<string name, string because> {
  string key = name;
  string reason = because;
}

#endif // HELION_KNOB_CLASSES
