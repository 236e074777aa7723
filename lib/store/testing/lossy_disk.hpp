#pragma once
// For tests: a disk that forgets, at a loss of power, what was written and not synced. It stands
// between SQLite and the real files: these hold everything, and for each the disk remembers the
// bytes at the last sync and the writes since. image() is what such a loss may leave: the synced
// bytes and any of the writes since, or halves of them.

#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <random>
#include <sqlite3.h>
#include <string>
#include <vector>

namespace toktier::store::testing {

class LossyDisk {
 public:
  struct Write {
    std::size_t at = 0;
    std::string bytes;
    bool cuts = false;  // the file ends at `at`
  };
  struct File {
    std::string synced;
    std::vector<Write> since;
    std::string image(std::mt19937& random) const {
      std::string out = synced;
      for (const Write& write : since) {
        if (random() % 2 == 0) continue;
        if (write.cuts) {
          out.resize(write.at);
          continue;
        }
        const std::size_t size =
            random() % 4 == 0 ? random() % (write.bytes.size() + 1) : write.bytes.size();
        if (out.size() < write.at + size) out.resize(write.at + size);
        out.replace(write.at, size, write.bytes, 0, size);
      }
      return out;
    }
  };

  static LossyDisk& instance() {
    static LossyDisk disk;
    return disk;
  }
  /// While it lives, files that SQLite opens are on this disk.
  struct Use {
    Use() {
      instance().files.clear();
      sqlite3_vfs_register(&instance().vfs_, 1);
    }
    ~Use() {
      sqlite3_vfs_unregister(&instance().vfs_);
      instance().before_write = nullptr;
      instance().lies = false;
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
  };

  std::map<std::string, File> files;
  std::function<void()> before_write;
  bool lies = false;  // says that it has synced, and has not

 private:
  struct Handle {
    sqlite3_file base;
    File* file;
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };

  LossyDisk() : real_(sqlite3_vfs_find(nullptr)) {
    vfs_ = *real_;
    vfs_.pNext = nullptr;
    vfs_.zName = "lossy";
    vfs_.szOsFile = static_cast<int>(sizeof(Handle)) + real_->szOsFile;
    vfs_.xOpen = open;
    vfs_.xDelete = remove;
    std::memset(&methods_, 0, sizeof(methods_));
    methods_.iVersion = 2;
    methods_.xClose = [](sqlite3_file* f) { return real(f)->pMethods->xClose(real(f)); };
    methods_.xRead = [](sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
      return real(f)->pMethods->xRead(real(f), to, size, at);
    };
    methods_.xWrite = write;
    methods_.xTruncate = truncate;
    methods_.xSync = sync;
    methods_.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
      return real(f)->pMethods->xFileSize(real(f), size);
    };
    methods_.xLock = [](sqlite3_file* f, int lock) {
      return real(f)->pMethods->xLock(real(f), lock);
    };
    methods_.xUnlock = [](sqlite3_file* f, int lock) {
      return real(f)->pMethods->xUnlock(real(f), lock);
    };
    methods_.xCheckReservedLock = [](sqlite3_file* f, int* out) {
      return real(f)->pMethods->xCheckReservedLock(real(f), out);
    };
    methods_.xFileControl = [](sqlite3_file* f, int op, void* argument) {
      return real(f)->pMethods->xFileControl(real(f), op, argument);
    };
    methods_.xSectorSize = [](sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); };
    // Nothing is promised that this disk does not keep.
    methods_.xDeviceCharacteristics = [](sqlite3_file*) { return 0; };
    methods_.xShmMap = [](sqlite3_file* f, int page, int size, int extend, void volatile** out) {
      return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
    };
    methods_.xShmLock = [](sqlite3_file* f, int offset, int n, int flags) {
      return real(f)->pMethods->xShmLock(real(f), offset, n, flags);
    };
    methods_.xShmBarrier = [](sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); };
    methods_.xShmUnmap = [](sqlite3_file* f, int gone) {
      return real(f)->pMethods->xShmUnmap(real(f), gone);
    };
  }

  static Handle* handle(sqlite3_file* f) { return reinterpret_cast<Handle*>(f); }
  static sqlite3_file* real(sqlite3_file* f) { return handle(f)->real(); }

  static int open(sqlite3_vfs*, const char* name, sqlite3_file* f, int flags, int* out) {
    LossyDisk& disk = instance();
    Handle* h = handle(f);
    h->base.pMethods = nullptr;
    h->file = nullptr;
    const int code = disk.real_->xOpen(disk.real_, name, h->real(), flags, out);
    if (code != SQLITE_OK) return code;
    if (name != nullptr) h->file = &disk.files[name];
    h->base.pMethods = &disk.methods_;
    return code;
  }
  static int remove(sqlite3_vfs*, const char* name, int sync_folder) {
    LossyDisk& disk = instance();
    disk.files.erase(name);
    return disk.real_->xDelete(disk.real_, name, sync_folder);
  }
  static int write(sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
    LossyDisk& disk = instance();
    if (disk.before_write) disk.before_write();
    if (File* file = handle(f)->file)
      file->since.push_back(
          {static_cast<std::size_t>(at),
           std::string(static_cast<const char*>(from), static_cast<std::size_t>(size)), false});
    return real(f)->pMethods->xWrite(real(f), from, size, at);
  }
  static int truncate(sqlite3_file* f, sqlite3_int64 at) {
    if (File* file = handle(f)->file)
      file->since.push_back({static_cast<std::size_t>(at), {}, true});
    return real(f)->pMethods->xTruncate(real(f), at);
  }
  static int sync(sqlite3_file* f, int flags) {
    File* file = handle(f)->file;
    if (file != nullptr && !instance().lies) {
      for (const Write& write : file->since) {
        if (write.cuts) {
          file->synced.resize(write.at);
          continue;
        }
        const std::size_t end = write.at + write.bytes.size();
        if (file->synced.size() < end) file->synced.resize(end);
        file->synced.replace(write.at, write.bytes.size(), write.bytes);
      }
      file->since.clear();
    }
    return real(f)->pMethods->xSync(real(f), flags);
  }

  sqlite3_vfs* real_;
  sqlite3_vfs vfs_{};
  sqlite3_io_methods methods_{};
};

}  // namespace toktier::store::testing
