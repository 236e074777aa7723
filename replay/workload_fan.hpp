#pragma once
// One reading of transcripts made into the workloads of several policies.

#include "replay/work_session.hpp"
#include "replay/workload_maker.hpp"

#include <memory>
#include <string>
#include <vector>

namespace toktier::replay {

/// Not thread-safe; the template must outlive it. Sessions of a policy are given away when they
/// close.
class WorkloadFan : public Sink {
 public:
  /// Error{usage} for an unknown policy.
  WorkloadFan(const std::vector<std::string>& policies, const ChatTemplate& chat_template,
              const WorkloadOptions& options, const WorkCollector::Take& take);
  /// Calls of which only lengths are known.
  std::uint64_t rounds() const { return lanes_.front()->maker.rounds(); }

  void open(const Session& session) override;
  void step(const std::string& key, Step&& step) override;
  void close(const std::string& key) override;
  void problem(const Problem&) override {}
  void record(std::string_view, std::string_view, Use) override {}
  void file_done(const std::string&, std::string_view) override {}

 private:
  struct Lane {
    Lane(const ChatTemplate& chat_template, const WorkloadOptions& options,
         const WorkCollector::Take& take)
        : collector(options.mutation, take), maker(collector, chat_template, options) {}
    WorkCollector collector;
    WorkloadMaker maker;
  };
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace toktier::replay
