#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/mman.h>

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

constexpr std::size_t kBucket = 4;  // entries that a key may lie in
constexpr std::size_t kMaxShards = 256;

struct alignas(64) Shard {
  std::mutex mutex;
  std::uint64_t lookups = 0;
  std::uint64_t hits = 0;
  unsigned next_victim = 0;
};

struct Free {
  void operator()(Entry* entries) const { std::free(entries); }
};
using Entries = std::unique_ptr<Entry[], Free>;

// Empty entries in huge pages, if the system has them: an access to ordinary ones would mostly wait
// for the translation of its address.
Entries make_entries(std::size_t count) {
  constexpr std::size_t kHugePage = std::size_t{1} << 21;
  const std::size_t bytes = (count * sizeof(Entry) + kHugePage - 1) / kHugePage * kHugePage;
  auto* entries = static_cast<Entry*>(std::aligned_alloc(kHugePage, bytes));
  if (!entries) throw std::bad_alloc();
  madvise(entries, bytes, MADV_HUGEPAGE);
  std::uninitialized_value_construct_n(entries, count);
  return Entries(entries);
}

}  // namespace

// Both counts are powers of two, and where a key lies follows from its hash alone.
struct EvaluationCache::Table {
  explicit Table(std::size_t count)
      : entries(make_entries(count)),
        bucket_mask(count / kBucket - 1),
        shards(std::min(kMaxShards, count / kBucket)) {}

  struct Place {
    Shard& shard;
    std::span<Entry, kBucket> bucket;
  };
  Place place(std::uint64_t network, const Query::Key& key) {
    const std::size_t bucket = mix_bits(key.hash() ^ network) & bucket_mask;
    return {shards[bucket & (shards.size() - 1)],
            std::span<Entry, kBucket>(entries.get() + bucket * kBucket, kBucket)};
  }

  Entries entries;
  std::size_t bucket_mask;
  std::vector<Shard> shards;
};

EvaluationCache::EvaluationCache(std::int64_t entries) {
  if (entries < 1)
    throw std::invalid_argument("A cache of " + std::to_string(entries) +
                                " entries makes no sense; leave it out instead.");
  table_ =
      std::make_unique<Table>(std::bit_floor(std::max(static_cast<std::size_t>(entries), kBucket)));
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

void EvaluationCache::prefetch(std::uint64_t network, const Query::Key& key) const {
  const auto [shard, bucket] = table_->place(network, key);
  __builtin_prefetch(&shard);
  for (const Entry& entry : bucket) __builtin_prefetch(&entry);
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
