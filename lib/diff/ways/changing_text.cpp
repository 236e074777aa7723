#include "diff/ways/changing_text.hpp"

#include "diff/ways/way_parts.hpp"
#include "encode/tokenizer_impl.hpp"
#include "toktier/error.hpp"

#include <algorithm>

namespace toktier::diff::ways {
namespace {

SessionOptions session_options(const WayRequest& request) {
  SessionOptions options;
  options.special = request.options.special;
  options.add_special = request.options.add_special;
  return options;
}

}  // namespace

std::string session_refusal(const WayRequest& request) {
  if (request.options.truncate) return "sessions do not truncate";
  try {
    const Session session(*request.tokenizer, session_options(request));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal) throw;
    return error.what();
  }
  return {};
}

ChangingText::ChangingText(const WayRequest& request, Fineness fineness,
                           encode::EncodeScratch& scratch)
    : scratch_(&scratch) {
  // The post-processor's tokens are the public Session's affair.
  if (fineness == Fineness::session || request.options.add_special) {
    session_.emplace(*request.tokenizer, session_options(request));
    return;
  }
  const encode::Pipeline& pipeline = *request.tokenizer->impl().pipeline;
  const session::Grain grain =
      fineness == Fineness::finest ? session::Grain{1, 64} : session::Grain{64, 1024};
  document_.emplace(pipeline,
                    std::make_shared<const added::SpecialFilter>(
                        pipeline.added().filter(request.options.special)),
                    grain);
}

std::unique_ptr<encode::EncodeScratch> ChangingText::scratch_for(const WayRequest& request) {
  return request.tokenizer->impl().pipeline->scratch(std::size_t{1} << 16);
}

void ChangingText::replace(std::size_t begin, std::size_t end, std::string_view text) {
  if (session_) {
    session_->edit(begin, end, text).apply(ids_);
    return;
  }
  session::Change change = document_->replace(begin, end, text, *scratch_);
  Patch patch;
  patch.keep_tokens = change.keep;
  patch.tail_tokens = change.tail;
  patch.ids = std::move(change.ids);
  patch.apply(ids_);
}

void ChangingText::rewind(std::size_t bytes_kept) {
  if (session_)
    session_->rewind(bytes_kept).apply(ids_);
  else
    replace(bytes_kept, bytes(), {});
}

void ChangingText::update(std::string_view full) {
  if (session_)
    session_->update(full).apply(ids_);
  else
    replace(0, bytes(), full);
}

ChangingText ChangingText::fork() const {
  ChangingText other;
  other.scratch_ = scratch_;
  if (session_) other.session_.emplace(session_->fork());
  other.document_ = document_;
  other.ids_ = ids_;
  return other;
}

std::size_t ChangingText::bytes() const {
  return session_ ? session_->bytes() : document_->rope().bytes();
}

std::vector<TokenId> ChangingText::snapshot() const {
  if (session_) return session_->snapshot();
  std::vector<TokenId> ids;
  document_->rope().append_ids(0, document_->rope().tokens(), ids);
  return ids;
}

}  // namespace toktier::diff::ways
