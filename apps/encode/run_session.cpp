// `session`: documents kept in a file between calls, by name.

#include "apps/encode/run.hpp"
#include "apps/encode/sink.hpp"
#include "io/read_all.hpp"
#include "report/json_writer.hpp"
#include "toktier/store.hpp"

#include <fmt/core.h>

#include <optional>

namespace toktier::encode_app {
namespace {

/// Why the last get() gave nothing.
std::string miss_reason(const StoreCounters& counters) {
  if (counters.foreign > 0)
    return "it was stored with another tokenizer, version or options; drop it or name another";
  if (counters.format > 0) return "it was stored by a version with another form of records";
  if (counters.corrupt > 0) return "its record is damaged and has been removed";
  if (counters.expired > 0) return "it has not been used for too long";
  if (counters.evicted > 0) return "it went when the store was full";
  return "there is none of this name";
}

/// Nothing is lost by beginning again: no record, or none that anybody could read.
bool may_begin(const StoreCounters& counters) {
  return counters.foreign == 0 && counters.format == 0;
}

std::string given_text(const Options& options) {
  if (options.has_session_text) return options.text;
  std::string text;
  if (options.inputs.paths.empty()) return io::read_all("-");
  for (const std::string& path : options.inputs.paths) text += io::read_all(path);
  return text;
}

void put_ids(report::JsonWriter& json, const std::vector<TokenId>& ids) {
  json.key("ids").begin_array();
  for (const TokenId id : ids) json.value(std::uint64_t{id});
  json.end_array();
}

std::string changed_record(const Options& options, const Session& session, const Patch& patch,
                           std::optional<std::size_t> found) {
  std::string out;
  report::JsonWriter json(out);
  json.begin_object().field("name", std::string_view(options.name));
  json.field("bytes", std::uint64_t{session.bytes()});
  json.field("tokens", std::uint64_t{session.tokens()});
  if (found) json.field("found_bytes", std::uint64_t{*found});
  json.field("keep_tokens", std::uint64_t{patch.keep_tokens});
  put_ids(json, patch.ids);
  json.field("tail_tokens", std::uint64_t{patch.tail_tokens}).end_object();
  return out + '\n';
}

/// append and update: the session as it was stored, or a new one, changed and stored again.
std::string change(SessionStore& store, const Options& options, const SessionOptions& wanted) {
  const Tokenizer tokenizer = Tokenizer::load(options.model, load_options(options));
  const std::string text = given_text(options);
  std::optional<Session> session = store.get(options.name, tokenizer, wanted);
  if (!session && !may_begin(store.counters()))
    throw Error(ErrorCode::input, miss_reason(store.counters()), options.name);
  std::optional<std::size_t> found;
  if (!session && options.action == "update") {
    if (auto other = store.find(text, tokenizer, wanted)) {
      session = std::move(other->session);
      found = other->bytes;
    }
  }
  if (!session) session.emplace(tokenizer, wanted);
  const Patch patch = options.action == "append" ? session->append(text) : session->update(text);
  if (!store.put(options.name, *session))
    throw Error(ErrorCode::unavailable, "the session is larger than --budget", options.store);
  return changed_record(options, *session, patch, found);
}

std::string show(SessionStore& store, const Options& options, const SessionOptions& wanted,
                 cli::Format format) {
  const Tokenizer tokenizer = Tokenizer::load(options.model, load_options(options));
  const std::optional<Session> session = store.get(options.name, tokenizer, wanted);
  if (!session) throw Error(ErrorCode::input, miss_reason(store.counters()), options.name);
  if (format == cli::Format::table) return session->text();
  std::string out;
  report::JsonWriter json(out);
  json.begin_object().field("name", std::string_view(options.name));
  json.field("text", std::string_view(session->text()));
  put_ids(json, session->snapshot());
  json.end_object();
  return out + '\n';
}

std::string list(SessionStore& store, cli::Format format) {
  std::string out;
  for (const StoredSession& each : store.list()) {
    if (format == cli::Format::table) {
      out += fmt::format("{:>12} bytes {:>10} tokens  {}\n", each.bytes, each.tokens, each.name);
      continue;
    }
    report::JsonWriter json(out);
    json.begin_object().field("name", std::string_view(each.name));
    json.field("bytes", each.bytes).field("tokens", each.tokens);
    json.field("used", static_cast<std::uint64_t>(each.used));
    json.field("fingerprint", std::string_view(each.fingerprint));
    json.field("options", std::string_view(each.options)).end_object();
    out += '\n';
  }
  return out;
}

}  // namespace

cli::ExitCode run_session(const Options& options, const cli::CommonOptions& common) {
  check_format(common.format);
  check_session_options(options);
  StoreOptions store_options;
  store_options.path = options.store;
  store_options.budget_bytes = options.budget;
  SessionStore store(store_options);
  const EncodeOptions asked = encode_options(options, {});
  SessionOptions wanted;
  wanted.special = asked.special;
  wanted.special_list = asked.special_list;
  wanted.add_special = asked.add_special;
  std::string out;
  if (options.action == "list")
    out = list(store, common.format);
  else if (options.action == "show")
    out = show(store, options, wanted, common.format);
  else if (options.action != "drop")
    out = change(store, options, wanted);
  else if (!store.drop(options.name))
    throw Error(ErrorCode::input, "there is none of this name", options.name);
  Sink sink(common.output);
  sink.write(out);
  sink.commit();
  return cli::ExitCode::ok;
}

}  // namespace toktier::encode_app
