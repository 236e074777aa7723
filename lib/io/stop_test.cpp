#include "io/inputs.hpp"
#include "io/testing/scratch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace toktier;      // NOLINT(google-build-using-namespace)
using namespace toktier::io;  // NOLINT(google-build-using-namespace)
using toktier::io::testing::pack;
using toktier::io::testing::ScratchFolder;

namespace {

/// A FIFO that holds bytes and keeps its writer, and a stop that comes when they have been read.
class Waiting {
 public:
  Waiting(const ScratchFolder& folder, std::string_view bytes) : path_(folder.path("fifo")) {
    ::unlink(path_.c_str());
    REQUIRE(::mkfifo(path_.c_str(), 0600) == 0);
    REQUIRE(::pipe2(stop_, O_CLOEXEC) == 0);
    writer_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(::write(writer_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    thread_ = std::thread([this] {
      for (int left = 1; left > 0;) {
        ::ioctl(writer_, FIONREAD, &left);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
      (void)!::write(stop_[1], "x", 1);
    });
  }
  ~Waiting() {
    thread_.join();
    for (const int descriptor : {stop_[0], stop_[1], writer_}) ::close(descriptor);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  std::vector<std::string> texts(RecordForm form) const {
    RecordOptions options;
    options.form = form;
    std::vector<std::string> out;
    // The second file is never reached.
    const auto reader = read_files({path_, path_}, options, stop_[0]);
    for (Document document; reader->next(document);) out.push_back(document.text);
    CHECK(stop_requested(stop_[0]));
    return out;
  }
  const std::string& path() const { return path_; }
  StopDescriptor stop() const { return stop_[0]; }

 private:
  std::string path_;
  int stop_[2] = {-1, -1};
  int writer_ = -1;
  std::thread thread_;
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a stop ends waiting; whole records are kept, a cut one is none") {
  const ScratchFolder folder;
  const std::string records = "{\"text\":\"a\"}\n{\"text\":\"b\"}\n";
  CHECK(Waiting(folder, "one\ntwo\nthr").texts(RecordForm::lines) == Texts{"one", "two"});
  for (const RecordForm form : {RecordForm::automatic, RecordForm::jsonl}) {
    CHECK(Waiting(folder, records + "{\"text\":").texts(form) == Texts{"a", "b"});
    CHECK(Waiting(folder, "\n" + records).texts(form) == Texts{"a", "b"});
  }
  CHECK(Waiting(folder, "a document").texts(RecordForm::text).empty());
  CHECK(Waiting(folder, "{\"te").texts(RecordForm::automatic).empty());
  const std::string packed = pack("one\ntwo\n");
  CHECK(Waiting(folder, packed).texts(RecordForm::lines) == Texts{"one", "two"});
  for (std::size_t cut = 1; cut < packed.size(); ++cut) {
    CAPTURE(cut);
    (void)Waiting(folder, packed.substr(0, cut)).texts(RecordForm::text);
    // A frame may give its lines before it is complete.
    const Texts texts = Waiting(folder, packed + packed.substr(0, cut)).texts(RecordForm::lines);
    const Texts all = {"one", "two", "one", "two"};
    REQUIRE(texts.size() >= 2);
    REQUIRE(texts.size() <= 4);
    CHECK(std::equal(texts.begin(), texts.end(), all.begin()));
  }
  CHECK(Waiting(folder, std::string(300, '\0')).texts(RecordForm::text).empty());
}

TEST_CASE("a list that was stopped names nothing, for its last name may be cut") {
  const ScratchFolder folder;
  const Waiting waiting(folder, "/etc/hosts\n/etc/hos");
  InputOptions options;
  options.files_from = waiting.path();
  options.stop = waiting.stop();
  CHECK(list_inputs(options).empty());
}

TEST_CASE("what is missing is told or collected, and the rest is listed in order") {
  const ScratchFolder folder;
  const std::string a = folder.write("a", "x"), b = folder.write("b", "y");
  InputOptions options;
  options.paths = {a, folder.path("no"), b, folder.path("n*")};
  CHECK_THROWS_AS(list_inputs(options), Error);
  std::vector<Error> problems;
  CHECK(list_inputs(options, &problems) == Texts{a, b});
  REQUIRE(problems.size() == 2);
  CHECK(std::string(problems[0].what()).find("no such file") != std::string::npos);
  options.paths = {folder.path(".")};
  CHECK_THROWS_AS(list_inputs(options, &problems), Error);  // wrong use is not collected
}
