//! Rates and durations of 802.11a and 802.11n.
