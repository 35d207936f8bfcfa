// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What helion-simulate-matrices calls, beside the harness of test/codegen/Common: matrix moves, matrix instructions and
// copies in flight, as the PTX manual defines them. A copy happens when it is waited for, when it is issued, or either,
// by the order that a run asks for, so that a missing wait and a slot that is filled too early both show.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

extern "C" {
int64_t helion_harness_thread(int32_t axis);
int64_t helion_harness_block(int32_t axis);
int64_t helion_harness_order();
void *helion_harness_shared();
void helion_harness_meet(void (*act)(void **, int64_t), void *mine);
void helion_harness_yield();
void helion_harness_fail(const char *message);
}

namespace {
struct Copy {
  int64_t to, from;
  int32_t bytes, read;
  void run() const {
    memcpy(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), read);
    memset(reinterpret_cast<char *>(to) + read, 0, bytes - read);
  }
};

/// A value that an instruction in flight reads: it has to be the same until the instruction is waited for.
struct Read {
  const uint16_t *from;
  uint16_t value;
};

struct Thread {
  int64_t block[3] = {-1, -1, -1};
  std::vector<uint32_t> given, results;
  int64_t address = 0;
  int32_t count = 0, transposed = 0, kind = 0;
  std::vector<Copy> open;
  std::deque<std::vector<Copy>> groups;
  // Of `wgmma`: descriptors, columns, form, the warp; what was read since the last commit, and by groups in flight.
  int64_t left = 0, right = 0, warp = 0;
  int32_t columns = 0, form = 0;
  bool isFenced = false;
  std::vector<Read> reads;
  std::deque<std::vector<Read>> dots;
};

std::map<int64_t, Thread> threads;

/// What a tensor map says, as simulated calls encode it (pipelined.py): dims from the contiguous one outwards.
struct Map {
  int64_t address, rank, elementBytes, swizzle, sizes[5], strides[5], box[5]; // Strides in bytes.
};

/// A copy of a box that flies until its barrier is waited for.
struct Box {
  int64_t to;
  Map map;
  int32_t at[5];
  int64_t bytes() const {
    int64_t count = map.elementBytes;
    for (int64_t dim = 0; dim != map.rank; ++dim)
      count *= map.box[dim];
    return count;
  }
  void run() const;
};

struct Barrier {
  int32_t count = 0, arrivals = 0; // Threads that arrive in a phase; those that have.
  int64_t pending = 0;             // Bytes that are expected and have not come.
  int32_t phase = 0;
  std::vector<Box> boxes;
  void complete() {
    if (arrivals == count && pending == 0) {
      arrivals = 0;
      phase ^= 1;
    }
  }
  void land() {
    for (const Box &box : boxes) {
      box.run();
      pending -= box.bytes();
    }
    boxes.clear();
    complete();
  }
};

std::map<int64_t, Barrier> barriers;

/// Element by element; chunks of 16 bytes are exchanged by the number of the line of 128 bytes that they come to.
void Box::run() const {
  int64_t index[5] = {}, place = 0;
  while (true) {
    int64_t from = map.address, target = to + place;
    bool isInside = true;
    for (int64_t dim = 0; dim != map.rank; ++dim) {
      int64_t own = at[dim] + index[dim];
      isInside &= own >= 0 && own < map.sizes[dim];
      from += own * map.strides[dim];
    }
    if (map.swizzle)
      target ^= (target >> 7 & (map.swizzle / 16 - 1)) << 4;
    if (isInside)
      memcpy(reinterpret_cast<void *>(target), reinterpret_cast<const void *>(from), map.elementBytes);
    else
      memset(reinterpret_cast<void *>(target), 0, map.elementBytes);
    place += map.elementBytes;
    int64_t dim = 0;
    for (; dim != map.rank && ++index[dim] == map.box[dim]; ++dim)
      index[dim] = 0;
    if (dim == map.rank)
      return;
  }
}

Thread &thread() {
  Thread &own = threads[helion_harness_thread(0)];
  int64_t block[3] = {helion_harness_block(0), helion_harness_block(1), helion_harness_block(2)};
  if (memcmp(block, own.block, sizeof block)) {
    own = Thread();
    memcpy(own.block, block, sizeof block);
  }
  return own;
}

float number(uint32_t half, bool isBf16) {
  if (isBf16) {
    uint32_t bits = half << 16;
    float value;
    memcpy(&value, &bits, 4);
    return value;
  }
  int exponent = half >> 10 & 31, fraction = half & 1023;
  float value = exponent == 31  ? (fraction ? NAN : INFINITY)
                : exponent == 0 ? std::ldexp(float(fraction), -24)
                                : std::ldexp(float(fraction + 1024), exponent - 25);
  return half >> 15 ? -value : value;
}

/// Lane `8 m + r` names row r of matrix m.
void loadMatrices(void **brought, int64_t lanes) {
  auto lane = [&](int64_t at) { return static_cast<Thread *>(brought[at]); };
  for (int64_t at = 0; at != lanes; ++at) {
    lane(at)->results.assign(lane(at)->count, 0);
    for (int32_t matrix = 0; matrix != lane(at)->count; ++matrix) {
      uint16_t pair[2];
      for (int64_t element = 0; element != 2; ++element) {
        int64_t row = at / 4, column = at % 4 * 2 + element;
        if (lane(at)->transposed)
          std::swap(row, column);
        memcpy(&pair[element], reinterpret_cast<const uint16_t *>(lane(matrix * 8 + row)->address) + column, 2);
      }
      memcpy(&lane(at)->results[matrix], pair, 4);
    }
  }
}

/// What a word of 32 bits is to a matrix instruction.
struct Kind {
  int64_t elements; // Of a word.
  double (*number)(uint32_t word, int64_t element);
};

double halfOf(uint32_t word, int64_t element) { return number(word >> 16 * element & 0xFFFF, false); }
double bf16Of(uint32_t word, int64_t element) { return number(word >> 16 * element & 0xFFFF, true); }
double byteOf(uint32_t word, int64_t element) { return int8_t(word >> 8 * element & 0xFF); }
/// The low 13 bits are not looked at.
double tf32Of(uint32_t word, int64_t) {
  word &= ~0x1FFFu;
  float value;
  memcpy(&value, &word, 4);
  return value;
}

/// As SimulateMatrices.cpp numbers them.
const Kind kinds[] = {{2, halfOf}, {2, bf16Of}, {1, tf32Of}, {4, byteOf}};
constexpr int32_t kIntegers = 3;

float floatOf(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

uint32_t bitsOf(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

/// m16n8 with 32 bytes of depth: words of A by (row, row + 8) then the depth's second half, of B by halves of the depth,
/// of C by row then row + 8.
void multiply(void **brought, int64_t lanes) {
  double a[16][32], b[32][8];
  uint32_t c[16][8];
  auto lane = [&](int64_t at) { return static_cast<Thread *>(brought[at]); };
  int32_t kindNumber = lane(0)->kind;
  const Kind &kind = kinds[kindNumber];
  int64_t depth = 8 * kind.elements;
  for (int64_t at = 0; at != lanes; ++at) {
    const std::vector<uint32_t> &given = lane(at)->given;
    int64_t row = at / 4, first = at % 4 * kind.elements;
    for (int64_t element = 0; element != kind.elements; ++element) {
      for (int64_t word = 0; word != 4; ++word)
        a[row + word % 2 * 8][first + word / 2 * depth / 2 + element] = kind.number(given[word], element);
      for (int64_t word = 0; word != 2; ++word)
        b[first + word * depth / 2 + element][row] = kind.number(given[4 + word], element);
    }
    for (int64_t word = 0; word != 4; ++word)
      c[row + word / 2 * 8][at % 4 * 2 + word % 2] = given[6 + word];
  }
  for (int64_t at = 0; at != lanes; ++at) {
    lane(at)->given.clear();
    lane(at)->results.clear();
    for (int64_t word = 0; word != 4; ++word) {
      int64_t row = at / 4 + word / 2 * 8, column = at % 4 * 2 + word % 2;
      bool isInteger = kindNumber == kIntegers;
      double sum = isInteger ? double(int32_t(c[row][column])) : floatOf(c[row][column]);
      for (int64_t k = 0; k != depth; ++k)
        sum += a[row][k] * b[k][column];
      // Sums of integers are exact here and wrap once.
      lane(at)->results.push_back(isInteger ? uint32_t(int64_t(sum)) : bitsOf(float(sum)));
    }
  }
}

/// An operand of `wgmma` as its descriptor says it: bits 0 to 13 the address, 16 to 29 from box to box, 32 to 45 from 8
/// lines to the next, all in 16 bytes; 62 and 63 the swizzle. Addresses are those of a window of 256 KB.
struct GroupOperand {
  int64_t begin, boxes, eight, line;
  bool isTransposed;
  GroupOperand(int64_t descriptor, bool transposed)
      : begin((descriptor & 0x3FFF) << 4), boxes((descriptor >> 16 & 0x3FFF) << 4),
        eight((descriptor >> 32 & 0x3FFF) << 4), isTransposed(transposed) {
    const int64_t lines[] = {0, 128, 64, 32};
    line = lines[descriptor >> 62 & 3];
    if (!line)
      helion_harness_fail("a descriptor names no swizzle");
  }

  /// `own` is the row of the left operand, the column of the right one.
  const uint16_t *at(int64_t own, int64_t depth) const {
    int64_t along = isTransposed ? own : depth, across = isTransposed ? depth : own, perLine = line / 2;
    int64_t address = begin + along / perLine * boxes + along % perLine * 2 + across / 8 * eight + across % 8 * line;
    address ^= (address >> 7 & (line / 16 - 1)) << 4;
    auto shared = reinterpret_cast<int64_t>(helion_harness_shared());
    return reinterpret_cast<const uint16_t *>(shared + ((address - shared) & 0x3FFFF));
  }
};

/// m64nNk16, the 16 rows of one of its four warps; words by 8 columns, then row and row + 8.
void multiplyGroup(void **brought, int64_t lanes) {
  auto lane = [&](int64_t at) { return static_cast<Thread *>(brought[at]); };
  Thread &first = *lane(0);
  bool isBf16 = first.form & 1;
  GroupOperand left(first.left, first.form & 2), right(first.right, first.form & 4);
  auto read = [&](const uint16_t *from) {
    first.reads.push_back({from, *from});
    return number(*from, isBf16);
  };
  std::vector<double> a(16 * 16), b(16 * first.columns);
  for (int64_t k = 0; k != 16; ++k) {
    for (int64_t row = 0; row != 16; ++row)
      a[row * 16 + k] = read(left.at(first.warp % 4 * 16 + row, k));
    for (int64_t column = 0; column != first.columns; ++column)
      b[column * 16 + k] = read(right.at(column, k));
  }
  for (int64_t at = 0; at != lanes; ++at) {
    Thread &own = *lane(at);
    if (own.left != first.left || own.right != first.right || !own.isFenced ||
        own.given.size() != size_t(first.columns) / 2)
      helion_harness_fail("lanes of a wgmma differ, or have no fence before it");
    own.results.clear();
    for (int64_t word = 0; word != first.columns / 2; ++word) {
      int64_t row = at / 4 + word / 2 % 2 * 8, column = word / 4 * 8 + at % 4 * 2 + word % 2;
      float start;
      memcpy(&start, &own.given[word], 4);
      double sum = start;
      for (int64_t k = 0; k != 16; ++k)
        sum += a[row * 16 + k] * b[column * 16 + k];
      float rounded = float(sum);
      uint32_t bits;
      memcpy(&bits, &rounded, 4);
      own.results.push_back(bits);
    }
    own.given.clear();
  }
}
} // namespace

extern "C" {
void helion_harness_give(int32_t word) { thread().given.push_back(uint32_t(word)); }
int32_t helion_harness_word(int32_t number) { return int32_t(thread().results.at(number)); }

void helion_harness_ldmatrix(int64_t address, int32_t count, int32_t transposed) {
  Thread &own = thread();
  own.address = address;
  own.count = count;
  own.transposed = transposed;
  helion_harness_meet(loadMatrices, &own);
}

void helion_harness_mma(int32_t kind) {
  Thread &own = thread();
  own.kind = kind;
  helion_harness_meet(multiply, &own);
}

/// cvt.rna.tf32.f32: to 10 bits of fraction, ties away from 0; every NaN is one.
int32_t helion_harness_round_tf32(float value) {
  if (value != value)
    return 0x7FFFFFFF;
  uint32_t bits = bitsOf(value);
  return int32_t((bits & 0x7F800000) == 0x7F800000 ? bits : (bits + 0x1000) & ~0x1FFFu);
}

void helion_harness_wgmma(int64_t left, int64_t right, int32_t columns, int32_t form) {
  Thread &own = thread();
  own.left = left;
  own.right = right;
  own.columns = columns;
  own.form = form;
  own.warp = helion_harness_thread(0) / 32;
  helion_harness_meet(multiplyGroup, &own);
}

void helion_harness_group_fence() { thread().isFenced = true; }

void helion_harness_group_commit() {
  Thread &own = thread();
  own.dots.push_back(std::move(own.reads));
  own.reads.clear();
}

void helion_harness_group_wait(int32_t younger) {
  Thread &own = thread();
  own.isFenced = false;
  if (!own.reads.empty())
    helion_harness_fail("a dot is waited for before it is committed");
  for (; own.dots.size() > size_t(younger); own.dots.pop_front())
    for (const Read &read : own.dots.front())
      if (*read.from != read.value)
        helion_harness_fail("a slot is filled while a dot reads it");
}

void helion_harness_copy(int64_t to, int64_t from, int32_t bytes, int32_t read) {
  Copy copy{to, from, bytes, read};
  int64_t order = helion_harness_order();
  if (order == 1 || (order > 1 && (to / bytes) % 2))
    copy.run();
  else
    thread().open.push_back(copy);
}

void helion_harness_barrier_init(int64_t address, int32_t count) {
  barriers[address] = Barrier();
  barriers[address].count = count;
}

void helion_harness_barrier_expect(int64_t address, int32_t bytes) {
  Barrier &barrier = barriers[address];
  if (barrier.arrivals == barrier.count)
    helion_harness_fail("a slot is filled before it was taken");
  barrier.pending += bytes;
  ++barrier.arrivals;
  barrier.complete();
}

void helion_harness_box(int64_t to, int64_t map, int64_t address) {
  Thread &own = thread();
  Box box{to, *reinterpret_cast<const Map *>(map), {}};
  if (own.given.size() != size_t(box.map.rank))
    helion_harness_fail("coordinates are not as many as the map has dims");
  for (int64_t dim = 0; dim != box.map.rank; ++dim)
    box.at[dim] = int32_t(own.given.at(dim));
  own.given.clear();
  barriers[address].boxes.push_back(box);
  int64_t order = helion_harness_order();
  if (order == 1 || (order > 1 && to / 1024 % 2))
    barriers[address].land();
}

/// Returns when the phase is over; what flies lands now, if not before.
void helion_harness_barrier_wait(int64_t address, int32_t phase) {
  for (int64_t tries = 0; barriers[address].phase == phase; ++tries) {
    barriers[address].land();
    if (barriers[address].phase != phase)
      break;
    if (tries == 1000)
      helion_harness_fail("a thread waits for a slot that nobody fills");
    helion_harness_yield();
  }
}

void helion_harness_commit() {
  Thread &own = thread();
  own.groups.push_back(std::move(own.open));
  own.open.clear();
}

void helion_harness_wait(int32_t younger) {
  Thread &own = thread();
  for (; own.groups.size() > size_t(younger); own.groups.pop_front())
    for (const Copy &copy : own.groups.front())
      copy.run();
}
}
