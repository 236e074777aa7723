#include "model/published_encodings.hpp"

namespace toktier::model {
namespace {

constexpr std::string_view kGpt2Pattern =
    R"re('(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s)re";
constexpr std::string_view kCl100kPattern =
    R"re('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+)re"
    R"re(|\s++$|\s*[\r\n]|\s+(?!\S)|\s)re";
constexpr std::string_view kO200kPattern =
    R"re([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)re"
    R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)?)re"
    R"re(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)re"
    R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)?)re"
    R"re(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)re";

constexpr std::string_view kR50kRanks =
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930";
constexpr std::string_view kP50kRanks =
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069";
constexpr std::string_view kCl100kRanks =
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7";
constexpr std::string_view kO200kRanks =
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d";

constexpr std::array<NamedId, 1> kGpt2Specials = {{{"<|endoftext|>", 50256}}};
constexpr std::array<NamedId, 4> kP50kEditSpecials = {{{"<|endoftext|>", 50256},
                                                       {"<|fim_prefix|>", 50281},
                                                       {"<|fim_middle|>", 50282},
                                                       {"<|fim_suffix|>", 50283}}};
constexpr std::array<NamedId, 5> kCl100kSpecials = {{{"<|endoftext|>", 100257},
                                                     {"<|fim_prefix|>", 100258},
                                                     {"<|fim_middle|>", 100259},
                                                     {"<|fim_suffix|>", 100260},
                                                     {"<|endofprompt|>", 100276}}};
constexpr std::array<NamedId, 2> kO200kSpecials = {
    {{"<|endoftext|>", 199999}, {"<|endofprompt|>", 200018}}};
constexpr std::array<NamedId, 16> kHarmonySpecials = {{{"<|endoftext|>", 199999},
                                                       {"<|endofprompt|>", 200018},
                                                       {"<|startoftext|>", 199998},
                                                       {"<|reserved_200000|>", 200000},
                                                       {"<|reserved_200001|>", 200001},
                                                       {"<|return|>", 200002},
                                                       {"<|constrain|>", 200003},
                                                       {"<|reserved_200004|>", 200004},
                                                       {"<|channel|>", 200005},
                                                       {"<|start|>", 200006},
                                                       {"<|end|>", 200007},
                                                       {"<|message|>", 200008},
                                                       {"<|reserved_200009|>", 200009},
                                                       {"<|reserved_200010|>", 200010},
                                                       {"<|reserved_200011|>", 200011},
                                                       {"<|call|>", 200012}}};

constexpr std::array<PublishedEncoding, 6> kEncodings = {
    {{"r50k_base", kR50kRanks, kGpt2Pattern, kGpt2Specials},
     {"p50k_base", kP50kRanks, kGpt2Pattern, kGpt2Specials},
     {"p50k_edit", kP50kRanks, kGpt2Pattern, kP50kEditSpecials},
     {"cl100k_base", kCl100kRanks, kCl100kPattern, kCl100kSpecials},
     {"o200k_base", kO200kRanks, kO200kPattern, kO200kSpecials},
     {"o200k_harmony", kO200kRanks, kO200kPattern, kHarmonySpecials, 200013, 201088}}};

}  // namespace

std::span<const PublishedEncoding> published_encodings() { return kEncodings; }

}  // namespace toktier::model
