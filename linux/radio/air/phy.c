// SPDX-License-Identifier: GPL-2.0
/*
 * phy: how long a PPDU lasts.
 *
 * Source: IEEE 802.11-2016, 17.4.3 (OFDM TXTIME), 19.4.3 (HT-mixed TXTIME), 16.3.4 (DSSS/CCK), 10.7.6.5 (rates of
 *   control responses); the same numbers as drivers/net/wireless/ath/ath9k/xmit.c ath_pkt_duration, but with the
 *   short guard interval's symbols rounded up to 4 us as 19.4.3 demands.
 * Differs:
 *   D1  HT-mixed format only; no greenfield, no LDPC, no STBC: one BCC encoder up to 300 Mbit/s.
 *   D2  no propagation delay.
 *   D3  DSSS/CCK with the long preamble only.
 */
#include "air/phy.h"
#include "params.h"

/* data bits a 4 us symbol, one stream: ath9k/xmit.c bits_per_symbol */
static const u16 ht_bits[8][2] = {
	{ 26, 54 }, { 52, 108 }, { 78, 162 }, { 104, 216 }, { 156, 324 }, { 208, 432 }, { 234, 486 }, { 260, 540 },
};

#define RATE(_r) { .bitrate = (_r) }
static struct ieee80211_rate rates[] = {
	RATE(10), RATE(20), RATE(55), RATE(110),
	RATE(60), RATE(90), RATE(120), RATE(180), RATE(240), RATE(360), RATE(480), RATE(540),
};

#define CHAN5(_n) { .band = NL80211_BAND_5GHZ, .center_freq = 5000 + 5 * (_n), .hw_value = (_n), .max_power = 20 }
#define CHAN2(_n) { .band = NL80211_BAND_2GHZ, .center_freq = 2407 + 5 * (_n), .hw_value = (_n), .max_power = 20 }
static struct ieee80211_channel chans5[] = {
	CHAN5(36), CHAN5(40), CHAN5(44), CHAN5(48), CHAN5(149), CHAN5(153), CHAN5(157), CHAN5(161),
};

static struct ieee80211_channel chans2[] = {
	CHAN2(1), CHAN2(2), CHAN2(3), CHAN2(4), CHAN2(5), CHAN2(6), CHAN2(7), CHAN2(8), CHAN2(9), CHAN2(10), CHAN2(11),
};

struct ieee80211_supported_band wt_band_5ghz = {
	.band = NL80211_BAND_5GHZ, .channels = chans5, .n_channels = ARRAY_SIZE(chans5),
	.bitrates = rates + 4, .n_bitrates = ARRAY_SIZE(rates) - 4,
};

struct ieee80211_supported_band wt_band_2ghz = {
	.band = NL80211_BAND_2GHZ, .channels = chans2, .n_channels = ARRAY_SIZE(chans2),
	.bitrates = rates, .n_bitrates = ARRAY_SIZE(rates),
};

void wt_phy_init(void)
{
	struct ieee80211_sta_ht_cap *ht = &wt_band_5ghz.ht_cap;
	unsigned int i;

	if (!wt_p.ht)
		return;
	ht->ht_supported = true;
	ht->cap = IEEE80211_HT_CAP_SUP_WIDTH_20_40 | IEEE80211_HT_CAP_SGI_20 | IEEE80211_HT_CAP_SGI_40 |
		  IEEE80211_HT_CAP_SM_PS | IEEE80211_HT_CAP_DSSSCCK40;
	ht->ampdu_factor = IEEE80211_HT_MAX_AMPDU_64K;
	ht->ampdu_density = wt_p.density;
	for (i = 0; i < wt_p.streams; i++)
		ht->mcs.rx_mask[i] = 0xff;
	ht->mcs.tx_params = IEEE80211_HT_MCS_TX_DEFINED;
	wt_band_2ghz.ht_cap = *ht;
}

/* A bitrate by its index, 100 kbit/s. */
u32 wt_phy_legacy_rate(enum nl80211_band band, int idx)
{
	const struct ieee80211_supported_band *b = band == NL80211_BAND_2GHZ ? &wt_band_2ghz : &wt_band_5ghz;

	return b->bitrates[clamp(idx, 0, b->n_bitrates - 1)].bitrate;
}

/* Which of 802.11a's eight rates; DSSS/CCK fares as the slowest. */
u32 wt_phy_ofdm_of(u32 rate_100k)
{
	static const u16 all[WT_OFDM_RATES] = { 60, 90, 120, 180, 240, 360, 480, 540 };
	u32 i;

	for (i = WT_OFDM_RATES - 1; i && all[i] != rate_100k; i--)
		;
	return i;
}

u32 wt_phy_ofdm_index(enum nl80211_band band, const struct ieee80211_tx_rate *r)
{
	return wt_phy_ofdm_of(wt_phy_legacy_rate(band, r->idx));
}

/* The lowest mandatory rate (16.3.3, 17.3.8.3, 18.4.4), 100 kbit/s. */
u32 wt_phy_lowest_rate(enum nl80211_band band)
{
	return wt_p.ghz2 || band == NL80211_BAND_2GHZ ? 10 : 60;
}

static bool is_cck(u32 rate_100k)
{
	return rate_100k == 10 || rate_100k == 20 || rate_100k == 55 || rate_100k == 110;
}

/* At 2.4 GHz it is 10 us, and OFDM frames have a signal extension of 6 us (18.3.2.4), which is not in their length here. */
u64 wt_phy_sifs_ns(u32 rate_100k)
{
	return is_cck(rate_100k) ? 10000 : WT_SIFS_NS;
}

/* aRxPHYStartDelay: CCK's long preamble with its header, or 20 us (table 17-21). */
u64 wt_phy_start_ns(u32 rate_100k)
{
	return is_cck(rate_100k) ? 192000 : 20000;
}

/* 17.4.3: 16 us of training, 4 us SIGNAL, then 16 service bits, the octets and 6 tail bits in 4 us symbols */
u64 wt_phy_control_ns(u32 rate_100k, u32 bytes)
{
	if (is_cck(rate_100k))
		return 192000ull + DIV_ROUND_UP(bytes * 8 * 10, rate_100k) * 1000ull;
	return 20000ull + 4000ull * DIV_ROUND_UP(16 + 6 + 8 * bytes, rate_100k * 4 / 10);
}

static u32 ht_symbol_bits(const struct ieee80211_tx_rate *r)
{
	return ht_bits[r->idx % 8][!!(r->flags & IEEE80211_TX_RC_40_MHZ_WIDTH)] * (r->idx / 8 + 1);
}

/* 19.4.3: legacy part 20 us, HT-SIG 8, HT-STF 4, a 4 us HT-LTF a stream (4 of them for 3 streams) */
static u64 ht_preamble_ns(const struct ieee80211_tx_rate *r)
{
	u32 streams = r->idx / 8 + 1;

	return 20000ull + 8000 + 4000 + 4000ull * (streams == 3 ? 4 : streams);
}

u64 wt_phy_ppdu_ns(enum nl80211_band band, const struct ieee80211_tx_rate *r, u32 bytes)
{
	u64 ns;
	u32 n;

	if (!(r->flags & IEEE80211_TX_RC_MCS))
		return wt_phy_control_ns(wt_phy_legacy_rate(band, r->idx), bytes);
	n = DIV_ROUND_UP(16 + 6 + 8 * bytes, ht_symbol_bits(r));
	ns = r->flags & IEEE80211_TX_RC_SHORT_GI ? roundup(n * 3600ull, 4000) : n * 4000ull;
	return ht_preamble_ns(r) + ns;
}

/* What ath9k counts as its airtime: with a SIFS if it is not of 802.11n (ath9k/hw.c ath9k_hw_computetxtime). */
u64 wt_phy_counted_ns(enum nl80211_band band, const struct ieee80211_tx_rate *r, u32 bytes)
{
	return wt_phy_ppdu_ns(band, r, bytes) + (r->flags & IEEE80211_TX_RC_MCS ? 0 : WT_SIFS_NS);
}

/* The longest PSDU that lasts at most `us` (ath9k/xmit.c ath_max_framelen). */
u32 wt_phy_bytes_in(const struct ieee80211_tx_rate *r, u32 us)
{
	u64 ns = us * 1000ull;
	u32 symbols;

	if (ns < ht_preamble_ns(r) + 8000)
		return 0;
	ns -= ht_preamble_ns(r);
	symbols = div_u64(ns, r->flags & IEEE80211_TX_RC_SHORT_GI ? 3600 : 4000);
	return (symbols * ht_symbol_bits(r) - 22) / 8;
}

/* Octets that pass in a minimum MPDU start spacing of `ns` (ath9k/xmit.c ath_compute_num_delims). */
u32 wt_phy_bytes_per_ns_gap(const struct ieee80211_tx_rate *r, u32 ns)
{
	u32 symbol = r->flags & IEEE80211_TX_RC_SHORT_GI ? 3600 : 4000;

	return max(ns / symbol, 1u) * ht_symbol_bits(r) / 8;
}

/*
 * 10.7.6.5.2: a response goes at the highest basic rate not above the frame's; for HT that is compared with the
 * non-HT rate of the same modulation and coding (table 10-6). Basic rates: 6, 12 and 24 Mbit/s (1, 2, 5.5 and 11 for CCK).
 */
u32 wt_phy_response_rate(enum nl80211_band band, const struct ieee80211_tx_rate *r)
{
	static const u16 of_mcs[8] = { 60, 120, 120, 240, 240, 240, 240, 240 };
	u32 rate;

	if (wt_p.ctl_rate)
		return wt_p.ctl_rate;
	if (r->flags & IEEE80211_TX_RC_MCS)
		return of_mcs[r->idx % 8];
	rate = wt_phy_legacy_rate(band, r->idx);
	if (is_cck(rate))
		return rate;
	return rate >= 240 ? 240 : rate >= 120 ? 120 : 60;
}
