#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "nn/inference.h"

namespace baghzero {
namespace {

// 39 probabilities make an entry three cache lines. Longer lists are not kept; in play from the
// start fewer than one position in a thousand has one.
constexpr int kKeptActions = 39;

struct Entry {
  std::uint64_t network = 0;  // identities start at 1: an empty entry matches nothing
  Query::Key key;
  Wdl wdl;
  std::array<float, kKeptActions> policy{};
};
static_assert(sizeof(Entry) == 192);

constexpr int kBucket = 4;  // entries that a key may lie in
constexpr std::int64_t kMaxShards = 256;

struct alignas(64) Shard {
  std::mutex mutex;
  std::uint64_t lookups = 0;
  std::uint64_t hits = 0;
  unsigned next_victim = 0;
  std::span<Entry> entries;
};

}  // namespace

struct EvaluationCache::Table {
  explicit Table(std::int64_t count)
      : entries(static_cast<std::size_t>(count)),
        shards(static_cast<std::size_t>(std::min(kMaxShards, count / kBucket))) {
    const std::size_t share = entries.size() / shards.size();
    for (std::size_t i = 0; i < shards.size(); ++i)
      shards[i].entries = std::span(entries).subspan(i * share, share);
  }

  struct Place {
    Shard& shard;
    std::span<Entry> bucket;
  };
  Place place(std::uint64_t network, const Query::Key& key) {
    const std::uint64_t hash = mix_bits(key.hash() ^ network);
    Shard& shard = shards[hash % shards.size()];
    const std::size_t buckets = shard.entries.size() / kBucket;
    return {shard, shard.entries.subspan((hash >> 32) % buckets * kBucket, kBucket)};
  }

  std::vector<Entry> entries;
  std::vector<Shard> shards;
};

EvaluationCache::EvaluationCache(std::int64_t entries) {
  if (entries < 1)
    throw std::invalid_argument("A cache of " + std::to_string(entries) +
                                " entries makes no sense; leave it out instead.");
  const std::int64_t whole_buckets = std::max<std::int64_t>(entries, kBucket) / kBucket * kBucket;
  const auto rounded =
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(whole_buckets)));
  table_ = std::make_unique<Table>(rounded);
}

EvaluationCache::~EvaluationCache() = default;

bool EvaluationCache::find(std::uint64_t network, const Query::Key& key, int legal_count,
                           Evaluation& out) {
  const auto [shard, bucket] = table_->place(network, key);
  const std::lock_guard lock(shard.mutex);
  ++shard.lookups;
  for (const Entry& entry : bucket)
    if (entry.key == key && entry.network == network) {
      ++shard.hits;
      out.wdl = entry.wdl;
      std::copy_n(entry.policy.begin(), legal_count, out.policy.begin());
      return true;
    }
  return false;
}

void EvaluationCache::insert(std::uint64_t network, const Query::Key& key, int legal_count,
                             const Evaluation& evaluation) {
  if (legal_count > kKeptActions) return;
  const auto [shard, bucket] = table_->place(network, key);
  const std::lock_guard lock(shard.mutex);
  Entry* place = nullptr;
  for (Entry& entry : bucket)
    if (entry.network == 0 || (entry.key == key && entry.network == network)) {
      place = &entry;
      break;
    }
  if (!place) place = &bucket[shard.next_victim++ % kBucket];
  place->network = network;
  place->key = key;
  place->wdl = evaluation.wdl;
  std::copy_n(evaluation.policy.begin(), legal_count, place->policy.begin());
}

EvaluationCache::Counters EvaluationCache::counters() const {
  Counters total;
  for (Shard& shard : table_->shards) {
    const std::lock_guard lock(shard.mutex);
    total.lookups += shard.lookups;
    total.hits += shard.hits;
  }
  return total;
}

}  // namespace baghzero
