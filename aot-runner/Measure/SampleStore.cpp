// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples by row and artifact.
#include "aot-runner/Measure/SampleStore.h"

#include "llvm/ADT/STLExtras.h"

using namespace helion::aot;

static double medianOf(std::vector<double> values) {
  llvm::sort(values);
  size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

llvm::Expected<SampleStore> SampleStore::load(Journal &journal, llvm::StringRef deviceClass, llvm::StringRef protocol,
                                              llvm::StringRef mode) {
  SampleStore store;
  llvm::Expected<std::vector<Session>> sessions = journal.sessions();
  if (!sessions)
    return sessions.takeError();
  for (const Session &session : *sessions)
    store.order.push_back(session.id);
  SampleQuery query;
  query.deviceClass = deviceClass.str();
  query.protocol = protocol.str();
  query.mode = mode.str();
  llvm::Expected<std::vector<Sample>> samples = journal.samples(query);
  if (!samples)
    return samples.takeError();
  std::map<std::string, size_t> place;
  for (auto [index, session] : llvm::enumerate(store.order))
    place[session] = index;
  auto when = [&](const Sample &sample) { return std::make_pair(place[sample.session], sample.ordinal); };
  llvm::sort(*samples, [&](const Sample &a, const Sample &b) { return when(a) < when(b); });
  for (const Sample &sample : *samples)
    store.remember(sample);
  return store;
}

llvm::Error SampleStore::add(Journal &journal, const Sample &sample) {
  if (llvm::Error error = journal.addSample(sample))
    return error;
  if (!llvm::is_contained(order, sample.session))
    order.push_back(sample.session);
  remember(sample);
  return llvm::Error::success();
}

void SampleStore::remember(const Sample &sample) {
  if (sample.timesNs.empty())
    return; // Dropped by gc.
  if (sample.anchor)
    anchors[{sample.row, sample.session}].push_back(medianOf(sample.timesNs));
  samples[{sample.row, sample.artifact}].push_back(sample);
}

double SampleStore::scale(const std::string &row, const std::string &session) const {
  auto own = anchors.find({row, session});
  if (own == anchors.end())
    return 1;
  for (const std::string &latest : llvm::reverse(order))
    if (auto found = anchors.find({row, latest}); found != anchors.end())
      return medianOf(found->second) / medianOf(own->second);
  return 1;
}

unsigned SampleStore::rounds(llvm::StringRef row, llvm::StringRef artifact) const {
  auto found = samples.find({row.str(), artifact.str()});
  return found == samples.end() ? 0 : llvm::count_if(found->second, [](const Sample &s) { return !s.anchor; });
}

std::vector<std::vector<double>> SampleStore::scaled(llvm::StringRef row, llvm::StringRef artifact) const {
  std::vector<std::vector<double>> result;
  auto found = samples.find({row.str(), artifact.str()});
  if (found == samples.end())
    return result;
  for (const Sample &sample : found->second) {
    double factor = scale(sample.row, sample.session);
    std::vector<double> &times = result.emplace_back(sample.timesNs);
    llvm::for_each(times, [&](double &time) { time *= factor; });
  }
  return result;
}

SampleHalves SampleStore::halves(llvm::StringRef row, llvm::StringRef artifact) const {
  SampleHalves halves;
  std::vector<std::vector<double>> samples = scaled(row, artifact);
  if (samples.size() == 1) {
    const std::vector<double> &times = samples.front();
    for (auto [index, time] : llvm::enumerate(times))
      (index % 2 ? halves.judge : halves.pick).push_back(time);
    if (halves.judge.empty())
      halves.judge = halves.pick;
    return halves;
  }
  for (auto [index, times] : llvm::enumerate(samples))
    llvm::append_range(index % 2 ? halves.judge : halves.pick, times);
  return halves;
}

std::vector<double> SampleStore::all(llvm::StringRef row, llvm::StringRef artifact) const {
  std::vector<double> times;
  for (const std::vector<double> &sample : scaled(row, artifact))
    llvm::append_range(times, sample);
  return times;
}
