#include "io/output_file.hpp"

#include "io/file_descriptor.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace toktier::io {
namespace {
constexpr std::size_t kBuffer = std::size_t{1} << 20;
}  // namespace

struct OutputFile::Impl {
  std::string path;       // as given
  std::string target;     // links resolved
  std::string temporary;  // empty: written directly
  FileDescriptor file;
  std::string pending;
  std::string packed;  // scratch space of the compressor
  std::uint64_t given = 0;
  std::uint64_t on_disk = 0;
  bool ended = false;
  struct FreeCctx {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, FreeCctx> context;

  ~Impl() {
    if (!temporary.empty()) ::unlink(temporary.c_str());
  }

  [[noreturn]] void fail(const char* what, int reason) const {
    throw Error(ErrorCode::unavailable,
                fmt::format("{}: {} (after {} bytes)", what, std::strerror(reason), on_disk), path);
  }

  void put(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(file.get(), bytes.data(), bytes.size());
      if (n < 0) {
        if (errno == EINTR) continue;
        fail("cannot write", errno);
      }
      on_disk += static_cast<std::uint64_t>(n);
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }

  void drain(ZSTD_EndDirective how) {
    if (context == nullptr) {
      put(pending);
    } else {
      ZSTD_inBuffer in{pending.data(), pending.size(), 0};
      std::size_t left = 0;
      do {
        ZSTD_outBuffer out{packed.data(), packed.size(), 0};
        left = ZSTD_compressStream2(context.get(), &out, &in, how);
        if (ZSTD_isError(left) != 0) {
          throw Error(ErrorCode::internal, std::string("zstd: ") + ZSTD_getErrorName(left), path);
        }
        put(std::string_view(packed.data(), out.pos));
      } while (how == ZSTD_e_continue ? in.pos < in.size : left != 0);
    }
    pending.clear();
  }

  void open_target() {
    struct stat info {};
    const bool exists = ::stat(target.c_str(), &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) fail("cannot write", EISDIR);
    if (exists && !S_ISREG(info.st_mode)) {
      file = FileDescriptor(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
      if (file.get() < 0) fail("cannot open", errno);
      return;
    }
    for (int attempt = 0; attempt < 1000; ++attempt) {
      std::string name = fmt::format("{}.tmp.{}.{}", target, ::getpid(), attempt);
      file = FileDescriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      if (file.get() >= 0) {
        temporary = std::move(name);
        break;
      }
      if (errno != EEXIST) fail("cannot create", errno);
    }
    if (temporary.empty()) fail("cannot create", EEXIST);
    if (exists && ::fchmod(file.get(), info.st_mode & 07777U) != 0)
      fail("cannot set the mode", errno);
  }
};

OutputFile::OutputFile(const std::string& path) : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  if (path == "-") {
    impl_->file = FileDescriptor(STDOUT_FILENO, false);
  } else {
    std::error_code error;
    const auto resolved = std::filesystem::weakly_canonical(path, error);
    impl_->target = error ? path : resolved.string();
    impl_->open_target();
  }
  if (path.ends_with(".zst")) {
    impl_->context.reset(ZSTD_createCCtx());
    if (impl_->context == nullptr)
      throw Error(ErrorCode::internal, "no memory for the zstd encoder");
    ZSTD_CCtx_setParameter(impl_->context.get(), ZSTD_c_checksumFlag, 1);
    impl_->packed.resize(ZSTD_CStreamOutSize());
  }
}

OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;
OutputFile::~OutputFile() = default;

void OutputFile::write(std::string_view bytes) {
  if (impl_->ended) throw Error(ErrorCode::internal, "write after commit", impl_->path);
  impl_->given += bytes.size();
  impl_->pending.append(bytes);
  if (impl_->pending.size() >= kBuffer) impl_->drain(ZSTD_e_continue);
}

void OutputFile::flush() {
  if (!impl_->ended) impl_->drain(ZSTD_e_flush);
}

void OutputFile::commit() {
  Impl& f = *impl_;
  if (f.ended) throw Error(ErrorCode::internal, "second commit", f.path);
  f.drain(ZSTD_e_end);
  f.ended = true;
  if (!f.temporary.empty() && ::fsync(f.file.get()) != 0) f.fail("cannot write", errno);
  if (!f.file.close()) f.fail("cannot close", errno);
  if (!f.temporary.empty()) {
    if (std::rename(f.temporary.c_str(), f.target.c_str()) != 0) f.fail("cannot rename", errno);
    f.temporary.clear();
  }
}

const std::string& OutputFile::path() const { return impl_->path; }
std::uint64_t OutputFile::bytes() const { return impl_->given; }

}  // namespace toktier::io
