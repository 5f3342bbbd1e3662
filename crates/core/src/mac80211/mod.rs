//! Per-station per-TID queues: `net/mac80211`.
