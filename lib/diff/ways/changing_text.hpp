#pragma once
// A session that ways change: the public Session, or what it is made of with seams so fine that
// short texts have many. Ids are what the caller of a session has: patches applied one after
// another.

#include "diff/ways/way.hpp"
#include "session/document.hpp"
#include "toktier/session.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace toktier::diff::ways {

enum class Fineness : std::uint8_t {
  session,  // the public Session
  finest,   // every seam that is found is kept
  middle,
};

/// Why sessions cannot be had with this request; empty when they can.
std::string session_refusal(const WayRequest& request);

class ChangingText {
 public:
  /// `scratch` must outlive this and every copy; ways make it by scratch_for().
  ChangingText(const WayRequest& request, Fineness fineness, encode::EncodeScratch& scratch);
  static std::unique_ptr<encode::EncodeScratch> scratch_for(const WayRequest& request);

  /// Error as of Session::edit().
  void replace(std::size_t begin, std::size_t end, std::string_view text);
  void append(std::string_view text) { replace(bytes(), bytes(), text); }
  void rewind(std::size_t bytes_kept);
  void update(std::string_view full);
  ChangingText fork() const;

  std::size_t bytes() const;
  const std::vector<TokenId>& ids() const { return ids_; }
  /// All ids at once, as the session has them.
  std::vector<TokenId> snapshot() const;

 private:
  ChangingText() = default;
  encode::EncodeScratch* scratch_ = nullptr;
  std::optional<Session> session_;
  std::optional<session::Document> document_;
  std::vector<TokenId> ids_;
};

}  // namespace toktier::diff::ways
