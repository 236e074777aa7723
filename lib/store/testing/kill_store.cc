// Kills a process that works on a store, again and again, and looks at what is left.
//
//   kill_store [--kills N] [--seed N] [--longest MS] [--model FILE] [--folder FOLDER] [--fault
//   NAME]
//
// The driver keeps what ought to be stored outside the process it kills. It sends a worker commands
// (changes of sessions, put, get, drop), each answered when it is done, kills it with SIGKILL after
// a random time (at most --longest milliseconds, eight times that in every eighth round), opens the
// store itself and compares: every record answered for is there with its text and with the ids of a
// cold encode; nothing else is there; the one command that was under way has happened or has not.
// Then the next worker goes on with the same file.
//
// Faults that have to be found (exit code 1): ack-first (answers before the work), late (does each
// put one command later than it says), torn (cuts the file's log after the kill), swap (stores
// another session than it was told).
//
// The last line is one JSON object with all counts. Exit code 0: all as it should be; 1: not.

#include "store/testing/kill_commands.hpp"
#include "store/testing/worlds.hpp"
#include "toktier/store.hpp"

#include <fmt/core.h>

#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <map>
#include <sys/wait.h>
#include <thread>

namespace {

using namespace toktier;
using namespace toktier::store::testing;

constexpr std::size_t kSlots = 6;
constexpr std::size_t kNames = 8;
constexpr std::size_t kLongest = 200000;  // bytes of a session

struct Arguments {
  std::uint64_t kills = 20, seed = 1, longest = 90;
  std::string model = "embedded", folder, fault = "none", worker_file;
};

// ---- the worker

int work(const Arguments& arguments) {
  const Tokenizer tokenizer = Tokenizer::load(arguments.model);
  StoreOptions options;
  options.path = arguments.worker_file;
  SessionStore store(options);
  std::vector<Session> slots;
  for (std::size_t i = 0; i < kSlots; ++i) slots.emplace_back(tokenizer);
  const auto answer = [] { return ::write(STDOUT_FILENO, "+", 1) == 1; };
  std::optional<std::pair<std::string, Session>> late;
  if (!answer()) return 0;
  while (const auto command = next_command(STDIN_FILENO)) {
    const bool first = arguments.fault == "ack-first" && command->kind == Command::Kind::put;
    if (first) {
      answer();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    Session& slot = slots.at(command->slot);
    switch (command->kind) {
      case Command::Kind::edit:
        slot.edit(command->begin, command->end, command->text);
        break;
      case Command::Kind::fork:
        slots.at(command->other) = slot.fork();
        break;
      case Command::Kind::put:
        if (arguments.fault == "late") {
          if (late) store.put(late->first, late->second);
          late.emplace(command->name, slot.fork());
        } else if (arguments.fault == "swap" && command->name == "name 3") {
          store.put(command->name, slots.at((command->slot + 1) % kSlots));
        } else {
          store.put(command->name, slot);
        }
        break;
      case Command::Kind::get:
        if (auto got = store.get(command->name, tokenizer))
          slot = std::move(*got);
        else
          slot.close();
        break;
      case Command::Kind::drop:
        store.drop(command->name);
        break;
    }
    if (!first && !answer()) break;
  }
  return 0;
}

// ---- the driver

struct Worker {
  explicit Worker(const Arguments& arguments, const std::string& file) {
    int in[2], out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) std::abort();
    pid = ::fork();
    if (pid == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      ::execl("/proc/self/exe", "kill_store", "--worker", file.c_str(), "--model",
              arguments.model.c_str(), "--fault", arguments.fault.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    to = in[1];
    from = out[0];
  }
  // Answers that come before the end of the worker.
  std::size_t kill_and_count() {
    ::kill(pid, SIGKILL);
    std::size_t count = 0;
    char byte = 0;
    while (::read(from, &byte, 1) == 1) ++count;
    int status = 0;
    ::waitpid(pid, &status, 0);
    killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    ::close(to);
    ::close(from);
    return count;
  }
  pid_t pid = 0;
  int to = -1, from = -1;
  bool killed = false;
};

/// Slots and records as they ought to be.
struct World {
  std::vector<std::string> slots = std::vector<std::string>(kSlots);
  std::map<std::string, std::string> records;

  void apply(const Command& c) {
    switch (c.kind) {
      case Command::Kind::edit:
        slots[c.slot].replace(c.begin, c.end - c.begin, c.text);
        break;
      case Command::Kind::fork:
        slots[c.other] = slots[c.slot];
        break;
      case Command::Kind::put:
        records[c.name] = slots[c.slot];
        break;
      case Command::Kind::get:
        slots[c.slot] = records.contains(c.name) ? records[c.name] : std::string();
        break;
      case Command::Kind::drop:
        records.erase(c.name);
        break;
    }
  }
};

std::size_t border(const std::string& text, std::size_t at) {
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  return at;
}

Command random_command(const World& world, std::mt19937_64& random) {
  Command c;
  c.slot = random() % kSlots;
  c.name = fmt::format("name {}", random() % kNames);
  const std::string& text = world.slots[c.slot];
  switch (random() % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:  // an append
      c.kind = Command::Kind::edit;
      c.begin = c.end = text.size();
      c.text = words(random() % 4 == 0 ? random() % 6000 : random() % 500, random());
      break;
    case 5:
    case 6: {
      c.kind = Command::Kind::edit;
      c.begin = border(text, text.empty() ? 0 : random() % text.size());
      c.end = border(text, std::min(text.size(), c.begin + random() % 300));
      c.text = words(random() % 40, random());
      break;
    }
    case 7:
      c.kind = Command::Kind::fork;
      c.other = random() % kSlots;
      break;
    case 8:
      c.kind = Command::Kind::get;
      break;
    case 9:
      c.kind = Command::Kind::drop;
      break;
    default:
      c.kind = Command::Kind::put;
      break;
  }
  if (text.size() > kLongest) {
    c.kind = Command::Kind::edit;
    c.begin = border(text, 2000);
    c.end = text.size();
    c.text.clear();
  }
  return c;
}

struct Counts {
  std::uint64_t kills = 0, commands = 0, answered = 0, puts = 0, edits = 0, forks = 0, gets = 0;
  std::uint64_t drops = 0, in_flight = 0, in_flight_done = 0, checked = 0, found = 0, bytes = 0;
  std::uint64_t lost = 0, wrong_text = 0, wrong_ids = 0, unexpected = 0, corrupt = 0;
  std::uint64_t not_killed = 0, failed_opens = 0, with_log = 0;
  std::string first;
  std::uint64_t faults() const {
    return lost + wrong_text + wrong_ids + unexpected + corrupt + not_killed + failed_opens;
  }
  void fault(std::uint64_t& kind, const std::string& what) {
    ++kind;
    if (first.empty()) first = what;
  }
};

// Compares; what was under way goes into `world` as it is found.
void look(const Tokenizer& tokenizer, const std::string& file, World& world,
          const std::optional<Command>& under_way, std::uint64_t round, Counts& counts) {
  std::optional<SessionStore> store;
  StoreOptions options;
  options.path = file;
  try {
    store.emplace(options);
  } catch (const Error& error) {
    counts.fault(counts.failed_opens, error.what());
    return;
  }
  World after = world;
  if (under_way) after.apply(*under_way);
  std::size_t listed = 0;
  for (std::size_t n = 0; n < kNames; ++n) {
    const std::string name = fmt::format("name {}", n);
    const auto got = store->get(name, tokenizer);
    const std::optional<std::string> text =
        got ? std::optional<std::string>(got->text()) : std::nullopt;
    const auto as_in = [&](const World& w) {
      const auto at = w.records.find(name);
      return at == w.records.end() ? !text : text == at->second;
    };
    ++counts.checked;
    if (got) {
      ++listed;
      counts.bytes += text->size();
      if (got->snapshot() != cold(tokenizer, *text))
        counts.fault(counts.wrong_ids, fmt::format("round {}: ids of {}", round, name));
    }
    if (as_in(world)) continue;
    if (as_in(after)) {
      ++counts.in_flight_done;
    } else if (!text) {
      counts.fault(counts.lost, fmt::format("round {}: {} is lost", round, name));
    } else if (!world.records.contains(name) && !after.records.contains(name)) {
      counts.fault(counts.unexpected, fmt::format("round {}: {} is there", round, name));
    } else {
      counts.fault(counts.wrong_text, fmt::format("round {}: text of {}", round, name));
    }
    if (text)
      world.records[name] = *text;
    else
      world.records.erase(name);
  }
  if (store->list().size() != listed)
    counts.fault(counts.unexpected, fmt::format("round {}: more records than names", round));
  // And by content.
  for (const auto& [name, text] : world.records) {
    const auto found = store->find(text, tokenizer);
    if (!found) continue;
    ++counts.found;
    if (found->session.text() != text.substr(0, found->bytes) ||
        found->session.snapshot() != cold(tokenizer, found->session.text()))
      counts.fault(counts.wrong_ids, fmt::format("round {}: found by the text of {}", round, name));
    break;
  }
  counts.corrupt += store->counters().corrupt;
}

void round(const Arguments& arguments, const Tokenizer& tokenizer, const std::string& file,
           World& world, std::mt19937_64& random, Counts& counts) {
  Worker worker(arguments, file);
  char ready = 0;
  if (::read(worker.from, &ready, 1) != 1) {
    counts.fault(counts.failed_opens, "a worker did not begin");
    worker.kill_and_count();
    return;
  }
  // The sessions begin as what is stored.
  world.slots.assign(kSlots, {});
  std::deque<Command> sent;
  std::thread killer;
  // Now and then long enough for the log to be written back meanwhile.
  const std::uint64_t longest = 1000 * arguments.longest * (counts.kills % 8 == 7 ? 8 : 1);
  const auto delay = std::chrono::microseconds(random() % longest);
  killer = std::thread([&] {
    std::this_thread::sleep_for(delay);
    ::kill(worker.pid, SIGKILL);
  });
  World told = world;
  for (std::size_t i = 0; i < 20000; ++i) {
    Command command;
    if (i < kSlots) {
      command.kind = Command::Kind::get;
      command.slot = i;
      command.name = fmt::format("name {}", random() % kNames);
    } else {
      command = random_command(told, random);
    }
    told.apply(command);
    const std::string bytes = packed(command);
    // Blocks when the worker is behind; fails when it is dead.
    sent.push_back(std::move(command));
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n = ::write(worker.to, bytes.data() + done, bytes.size() - done);
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    if (done < bytes.size()) break;
  }
  killer.join();
  const std::size_t answers = worker.kill_and_count();
  if (!worker.killed) counts.fault(counts.not_killed, "a worker ended before it was killed");
  ++counts.kills;
  counts.commands += sent.size();
  counts.answered += answers;
  for (std::size_t i = 0; i < std::min<std::size_t>(answers, sent.size()); ++i) {
    world.apply(sent[i]);
    counts.puts += sent[i].kind == Command::Kind::put;
    counts.edits += sent[i].kind == Command::Kind::edit;
    counts.forks += sent[i].kind == Command::Kind::fork;
    counts.gets += sent[i].kind == Command::Kind::get;
    counts.drops += sent[i].kind == Command::Kind::drop;
  }
  std::optional<Command> under_way;
  if (answers < sent.size()) {
    under_way = sent[answers];
    if (under_way->kind == Command::Kind::put || under_way->kind == Command::Kind::drop)
      ++counts.in_flight;
  }
  std::error_code none;
  const auto log = std::filesystem::file_size(file + "-wal", none);
  if (!none && log > 0) {
    ++counts.with_log;
    if (arguments.fault == "torn") std::filesystem::resize_file(file + "-wal", log / 2);
  }
  look(tokenizer, file, world, under_way, counts.kills, counts);
}

int drive(const Arguments& arguments) {
  ::signal(SIGPIPE, SIG_IGN);
  const Tokenizer tokenizer = Tokenizer::load(arguments.model);
  std::optional<Folder> own;
  std::string file;
  if (arguments.folder.empty()) {
    own.emplace();
    file = own->file("store.db");
  } else {
    file = arguments.folder + "/kill-store.db";
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file + end);
  }
  std::mt19937_64 random(arguments.seed);
  World world;
  Counts c;
  // A planted fault need be seen once.
  while (c.kills < arguments.kills &&
         (arguments.fault == "none" ? c.failed_opens : c.faults()) == 0)
    round(arguments, tokenizer, file, world, random, c);
  if (!c.first.empty()) fmt::print("first: {}\n", c.first);
  fmt::print(
      "{{\"model\":\"{}\",\"fault\":\"{}\",\"seed\":{},\"kills\":{},\"with_log\":{},"
      "\"commands_done\":{},\"puts\":{},\"edits\":{},\"forks\":{},\"gets\":{},\"drops\":{},"
      "\"under_way\":{},\"under_way_happened\":{},\"records_checked\":{},\"bytes_checked\":{},"
      "\"found_by_content\":{},\"lost\":{},\"wrong_text\":{},\"wrong_ids\":{},\"unexpected\":{},"
      "\"corrupt\":{},\"not_killed\":{},\"failed_opens\":{}}}\n",
      arguments.model, arguments.fault, arguments.seed, c.kills, c.with_log, c.answered, c.puts,
      c.edits, c.forks, c.gets, c.drops, c.in_flight, c.in_flight_done, c.checked, c.bytes, c.found,
      c.lost, c.wrong_text, c.wrong_ids, c.unexpected, c.corrupt, c.not_killed, c.failed_opens);
  return c.faults() == 0 && c.puts > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--kills") {
      arguments.kills = std::stoull(value);
    } else if (name == "--longest") {
      arguments.longest = std::max(1ULL, std::stoull(value));
    } else if (name == "--seed") {
      arguments.seed = std::stoull(value);
    } else if (name == "--model") {
      arguments.model = value;
    } else if (name == "--folder") {
      arguments.folder = value;
    } else if (name == "--fault") {
      arguments.fault = value;
    } else if (name == "--worker") {
      arguments.worker_file = value;
    } else {
      fmt::print(stderr, "unknown option {}\n", name);
      return 2;
    }
  }
  try {
    return arguments.worker_file.empty() ? drive(arguments) : work(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "kill_store: {}\n", error.what());
    return 1;
  }
}
