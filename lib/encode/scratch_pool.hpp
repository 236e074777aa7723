#pragma once
// Scratch spaces for calls that bring none: taken for the call, given back after it. Thread-safe;
// the lock is held only while a space changes hands. At most kKept stay, so memory is bounded by
// the number of concurrent calls.

#include "encode/pipeline.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace toktier::encode {

class ScratchPool {
 public:
  static constexpr std::size_t kKept = 4;

  explicit ScratchPool(const Pipeline& pipeline) : pipeline_(pipeline) {}

  class Lease {
   public:
    Lease(ScratchPool& pool, std::unique_ptr<EncodeScratch> scratch)
        : pool_(pool), scratch_(std::move(scratch)) {}
    ~Lease() { pool_.give_back(std::move(scratch_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    EncodeScratch& operator*() const { return *scratch_; }

   private:
    ScratchPool& pool_;
    std::unique_ptr<EncodeScratch> scratch_;
  };

  Lease take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        auto scratch = std::move(free_.back());
        free_.pop_back();
        return {*this, std::move(scratch)};
      }
    }
    return {*this, pipeline_.scratch(Tokenizer::kDefaultCacheBytes)};
  }

 private:
  void give_back(std::unique_ptr<EncodeScratch> scratch) {
    const std::lock_guard lock(mutex_);
    if (free_.size() < kKept) free_.push_back(std::move(scratch));
  }
  const Pipeline& pipeline_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<EncodeScratch>> free_;
};

}  // namespace toktier::encode
