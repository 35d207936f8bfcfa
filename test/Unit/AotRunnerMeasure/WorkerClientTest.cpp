// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The client against small shell scripts: answers, silence, nonsense, death.
#include "aot-runner/Measure/WorkerClient.h"
#include "gtest/gtest.h"

using namespace helion::aot;
using Kind = WorkerAnswer::Kind;

static const char hello[] =
    R"(read line; echo '{"id":0,"ok":true,"protocol":1,"device":{"target":"cpu:x86-64-v3","name":"box","cores":2}}'; )";

static std::atomic<bool> never = false;

static WorkerAnswer askAfterHello(const std::string &script) {
  WorkerClient client({"/bin/sh", "-c", hello + script}, "/dev/null", never);
  llvm::cantFail(client.restart());
  return client.ask(llvm::json::Object{{"op", "load"}}, 100);
}

TEST(WorkerClient, Greets) {
  WorkerClient client({"/bin/sh", "-c", std::string(hello) + "cat"}, "/dev/null", never);
  llvm::cantFail(client.restart());
  EXPECT_TRUE(client.isRunning());
  EXPECT_EQ(client.device().name, "box");
  EXPECT_EQ(client.device().deviceClass(), "box, 2 cores, 0 GiB");
  EXPECT_EQ(client.generation(), 1u);
}

// A script that answers only the hello that asks for a GPU.
TEST(WorkerClient, AsksForATarget) {
  const char script[] = "read line; case \"$line\" in *nvidia:sm_90a*) "
                        R"(echo '{"id":0,"ok":true,"protocol":1,"device":{"target":"nvidia:sm_90a","name":"GPU",)"
                        R"("cores":132,"memory_bytes":150000000000,"power_limit_mw":700000}}';; )"
                        R"(*) echo '{"id":0,"ok":false,"error":{"kind":"no_device","message":"none here"}}';; esac)";
  WorkerClient client({"/bin/sh", "-c", script}, "/dev/null", never, WorkerClient::kHelloMs, "nvidia:sm_90a");
  llvm::cantFail(client.restart());
  EXPECT_EQ(client.device().deviceClass(), "GPU, 132 multiprocessors, 140 GiB, 700 W");
  WorkerClient other({"/bin/sh", "-c", script}, "/dev/null", never);
  EXPECT_EQ(llvm::toString(other.restart()), "no worker: none here");
}

TEST(WorkerClient, Answers) {
  EXPECT_EQ(askAfterHello(R"(read line; echo '{"id":1,"ok":true}')").kind, Kind::Ok);
  WorkerAnswer refused =
      askAfterHello(R"(read line; echo '{"id":1,"ok":false,"error":{"kind":"memory","message":"none"}}')");
  EXPECT_EQ(refused.kind, Kind::Refused);
  EXPECT_EQ(refused.reason, "memory");
  EXPECT_EQ(refused.message, "none");
}

TEST(WorkerClient, Failures) {
  EXPECT_EQ(askAfterHello("read line; echo what").kind, Kind::Garbled);
  EXPECT_EQ(askAfterHello(R"(read line; echo '{"id":7,"ok":true}')").kind, Kind::Garbled);
  WorkerAnswer died = askAfterHello("read line; exit 3");
  EXPECT_EQ(died.kind, Kind::Died);
  EXPECT_EQ(died.message, "the worker ended without an answer: exit status 3");
  WorkerAnswer killed = askAfterHello("read line; kill -SEGV $$");
  EXPECT_EQ(killed.message, "the worker ended without an answer: signal 11 (Segmentation fault)");
  EXPECT_EQ(askAfterHello(R"(read line; echo '{"id":1,"ok":false,"error":{"kind":"deadline","message":""}}')").kind,
            Kind::TimedOut);
  EXPECT_EQ(askAfterHello("exec sleep 100").kind, Kind::TimedOut);
}

// More than any pipe holds, for a process that reads no more; and an answer that never ends.
TEST(WorkerClient, NeitherDeafNorEndless) {
  WorkerClient client({"/bin/sh", "-c", std::string(hello) + "exec sleep 100"}, "/dev/null", never);
  llvm::cantFail(client.restart());
  WorkerAnswer deaf = client.ask(llvm::json::Object{{"op", std::string(10'000'000, 'x')}}, 100);
  EXPECT_EQ(deaf.kind, Kind::TimedOut);
  EXPECT_EQ(deaf.message, "no answer within 100 ms");
  EXPECT_EQ(askAfterHello("read line; printf '{\"id\":'; exec sleep 100").kind, Kind::TimedOut);
  EXPECT_EQ(askAfterHello("read line; while true; do printf 1; done").kind, Kind::TimedOut);
  WorkerAnswer nested = askAfterHello("read line; head -c 1000000 /dev/zero | tr '\\0' '['; echo");
  EXPECT_EQ(nested.kind, Kind::Garbled);
}

TEST(WorkerClient, StopsAtOnce) {
  std::atomic<bool> stop = false;
  WorkerClient client({"/bin/sh", "-c", std::string(hello) + "sleep 100"}, "/dev/null", stop);
  llvm::cantFail(client.restart());
  stop = true;
  EXPECT_EQ(client.ask(llvm::json::Object{{"op", "load"}}, 60000).kind, Kind::Stopped);
  EXPECT_FALSE(client.isRunning());
}

TEST(WorkerClient, NoWorker) {
  WorkerClient client({"/no/such/worker"}, "/dev/null", never);
  EXPECT_EQ(llvm::toString(client.restart()), "cannot start worker `/no/such/worker`: No such file or directory");
}
