#include "diff/document.hpp"

namespace toktier::diff {
namespace {

class Chain final : public DocumentSource {
 public:
  explicit Chain(std::vector<std::unique_ptr<DocumentSource>> sources)
      : sources_(std::move(sources)) {}

  bool next(Document& document) override {
    for (; at_ < sources_.size(); ++at_) {
      if (sources_[at_]->next(document)) return true;
    }
    return false;
  }
  std::uint64_t total() const override { return sum(&DocumentSource::total); }
  std::uint64_t position() const override { return sum(&DocumentSource::position); }
  bool select(std::uint64_t begin, std::uint64_t end) override {
    return sources_.size() == 1 && sources_[0]->select(begin, end);
  }
  std::vector<std::pair<std::string, std::uint64_t>> left_out() const override {
    std::vector<std::pair<std::string, std::uint64_t>> all;
    for (const auto& source : sources_) {
      for (auto& entry : source->left_out()) all.push_back(std::move(entry));
    }
    return all;
  }
  std::uint64_t failed() const override { return sum(&DocumentSource::failed); }

 private:
  std::uint64_t sum(std::uint64_t (DocumentSource::*count)() const) const {
    std::uint64_t result = 0;
    for (const auto& source : sources_) result += ((*source).*count)();
    return result;
  }

  std::vector<std::unique_ptr<DocumentSource>> sources_;
  std::size_t at_ = 0;
};

class List final : public DocumentSource {
 public:
  explicit List(std::vector<Document> documents) : documents_(std::move(documents)) {
    for (const Document& document : documents_) total_ += document.text.size();
  }

  bool next(Document& document) override {
    if (at_ == documents_.size()) return false;
    document = std::move(documents_[at_++]);
    position_ += document.text.size();
    return true;
  }
  std::uint64_t total() const override { return total_; }
  std::uint64_t position() const override { return position_; }

 private:
  std::vector<Document> documents_;
  std::size_t at_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace

std::unique_ptr<DocumentSource> chain(std::vector<std::unique_ptr<DocumentSource>> sources) {
  return std::make_unique<Chain>(std::move(sources));
}

std::unique_ptr<DocumentSource> from_list(std::vector<Document> documents) {
  return std::make_unique<List>(std::move(documents));
}

}  // namespace toktier::diff
