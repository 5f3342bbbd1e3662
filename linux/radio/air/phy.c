// SPDX-License-Identifier: GPL-2.0
/*
 * phy: how long a PPDU lasts.
 *
 * Source: IEEE 802.11-2016, 17.4.3 (OFDM TXTIME), 19.4.3 (HT-mixed TXTIME), 16.3.4 (DSSS/CCK), 10.7.6.5 (rates of
 *   control responses); the same numbers as drivers/net/wireless/ath/ath9k/xmit.c ath_pkt_duration, but with the
 *   short guard interval's symbols rounded up to 4 us as 19.4.3 demands. VHT and HE: vht.c and he.c.
 * Differs:
 *   D1  HT-mixed format only; no greenfield, no LDPC, no STBC: one BCC encoder up to 300 Mbit/s.
 *   D2  no propagation delay.
 *   D3  the signal extension of OFDM and HT frames at 2.4 GHz (18.3.2.4) is not in their length: the medium adds it (wt_phy_extension_ns).
 */
#include "air/he.h"
#include "air/phy.h"
#include "air/vht.h"
#include "params.h"

/* data bits a 4 us symbol, one stream: ath9k/xmit.c bits_per_symbol */
static const u16 ht_bits[8][2] = {
	{ 26, 54 }, { 52, 108 }, { 78, 162 }, { 104, 216 }, { 156, 324 }, { 208, 432 }, { 234, 486 }, { 260, 540 },
};

/* ath9k/common-init.c ath9k_legacy_rates */
#define RATE(_r) { .bitrate = (_r) }
#define CCK(_r) { .bitrate = (_r), .flags = IEEE80211_RATE_SHORT_PREAMBLE }
static struct ieee80211_rate rates[] = {
	RATE(10), CCK(20), CCK(55), CCK(110),
	RATE(60), RATE(90), RATE(120), RATE(180), RATE(240), RATE(360), RATE(480), RATE(540),
};

#define CHAN5(_n) { .band = NL80211_BAND_5GHZ, .center_freq = 5000 + 5 * (_n), .hw_value = (_n), .max_power = 20 }
#define CHAN2(_n) { .band = NL80211_BAND_2GHZ, .center_freq = 2407 + 5 * (_n), .hw_value = (_n), .max_power = 20 }
static struct ieee80211_channel chans5[] = {
	CHAN5(36), CHAN5(40), CHAN5(44), CHAN5(48), CHAN5(149), CHAN5(153), CHAN5(157), CHAN5(161),
	CHAN5(52), CHAN5(56), CHAN5(60), CHAN5(64),	/* for 160 MHz only */
};

static struct ieee80211_channel chans2[] = {
	CHAN2(1), CHAN2(2), CHAN2(3), CHAN2(4), CHAN2(5), CHAN2(6), CHAN2(7), CHAN2(8), CHAN2(9), CHAN2(10), CHAN2(11),
	CHAN2(12), CHAN2(13),
};

static const struct ieee80211_supported_band bands[NUM_NL80211_BANDS] = {
	[NL80211_BAND_2GHZ] = { .channels = chans2, .n_channels = ARRAY_SIZE(chans2), .bitrates = rates, .n_bitrates = ARRAY_SIZE(rates) },
	[NL80211_BAND_5GHZ] = { .channels = chans5, .n_channels = ARRAY_SIZE(chans5) - 4,
				.bitrates = rates + 4, .n_bitrates = ARRAY_SIZE(rates) - 4 },
};

/* Whether the standard has an MCS on the link of a station. */
static bool mcs_exists(unsigned int station, int mcs)
{
	u32 streams = wt_listed(streams, n_streams, station), mhz = wt_listed(fixed_mhz, n_mhz, station);

	if (mcs == WT_IDEAL)
		return wt_p.channel && *wt_p.channel && wt_standard_of(station) != WT_LEGACY;
	if (mcs == -1)	/* rate control's, which has none of HE */
		return wt_standard_of(station) != WT_HE;
	switch (wt_standard_of(station)) {
	case WT_HE:
		return mcs >= 0 && mcs < WT_HE_MCS;
	case WT_VHT:
		return mcs >= 0 && wt_vht_exists(mcs, streams, mhz);
	default:
		return mcs >= 0 && mcs < (int)streams * 8;
	}
}

/* Whether the fixed rates that were asked for exist, and mac80211 knows their standard well enough. */
int wt_phy_check(void)
{
	unsigned int i;

	if (WT_BEFORE(6, 0) && wt_p.he)
		return -EOPNOTSUPP;
	for (i = 1; i < wt_p.radios; i++) {
		if (wt_p.n_fixed && !mcs_exists(i, wt_listed(fixed_mcs, n_fixed, i)))
			return -EINVAL;
		if (wt_p.n_fixed_up && !mcs_exists(i, wt_listed(fixed_mcs_up, n_fixed_up, i)))
			return -EINVAL;
	}
	return 0;
}

/* What a card of 802.11n says of itself. One of a newer standard has 40 MHz, however narrow its link. */
static void ht_caps(struct ieee80211_sta_ht_cap *ht, unsigned int radio)
{
	bool wide = wt_standard_of(radio) != WT_HT || wt_listed(fixed_mhz, n_mhz, radio) > 20;
	unsigned int i;

	ht->ht_supported = true;
	ht->cap = IEEE80211_HT_CAP_SM_PS | IEEE80211_HT_CAP_DSSSCCK40 | (wide ? IEEE80211_HT_CAP_SUP_WIDTH_20_40 : 0) |
		  (wt_p.fixed_sgi ? IEEE80211_HT_CAP_SGI_20 | IEEE80211_HT_CAP_SGI_40 : 0);
	ht->ampdu_factor = IEEE80211_HT_MAX_AMPDU_64K;
	ht->ampdu_density = wt_listed(density, n_density, radio);
	for (i = 0; i < min(wt_listed(streams, n_streams, radio), 4u); i++)
		ht->mcs.rx_mask[i] = 0xff;
	ht->mcs.tx_params = IEEE80211_HT_MCS_TX_DEFINED;
}

/* The bands of a card, as the parameters have them. */
void wt_phy_bands(struct wt_radio *r)
{
	struct ieee80211_supported_band *wide = &r->bands[NL80211_BAND_5GHZ];
	enum wt_standard of = wt_standard_of(r->index);
	u32 streams = wt_listed(streams, n_streams, r->index);

	memcpy(r->bands, bands, sizeof(bands));
	if (wt_is_dsss(r->index))
		r->bands[NL80211_BAND_2GHZ].n_bitrates = WT_DSSS_RATES;
	if (wt_listed(fixed_mhz, n_mhz, 0) == 160)
		wide->n_channels = ARRAY_SIZE(chans5);
	if (of == WT_LEGACY)
		return;
	ht_caps(&wide->ht_cap, r->index);
	r->bands[NL80211_BAND_2GHZ].ht_cap = wide->ht_cap;
	if (of == WT_VHT || of == WT_HE)
		wt_vht_caps(&wide->vht_cap, streams);
	if (of == WT_HE)
		wt_he_caps(wide, &r->he, streams);
}

#define RC_HE	IEEE80211_TX_RC_GREEN_FIELD	/* a VHT rate with it is HE's: mac80211 has no flag for that, and a VHT rate none of this */

/* Of 802.11ac or ax. Every such PPDU is an A-MPDU, padded to its last word. */
bool wt_phy_is_vht(const struct ieee80211_tx_rate *r)
{
	return r->flags & IEEE80211_TX_RC_VHT_MCS;
}

bool wt_phy_is_he(const struct ieee80211_tx_rate *r)
{
	return wt_phy_is_vht(r) && r->flags & RC_HE;
}

/* Whether A-MPDUs may be sent with it. */
bool wt_phy_aggregates(const struct ieee80211_tx_rate *r)
{
	return wt_phy_is_vht(r) || r->flags & IEEE80211_TX_RC_MCS;
}

/* As its standard counts it: 802.11n over all streams, 802.11ac and ax within one count of streams; else the bitrate's index. */
int wt_phy_mcs(const struct ieee80211_tx_rate *r)
{
	return wt_phy_is_vht(r) ? ieee80211_rate_get_vht_mcs(r) : r->idx;
}

/* Counted over all streams, as 802.11n's is. */
int wt_phy_mcs_over_streams(const struct ieee80211_tx_rate *r)
{
	if (!wt_phy_is_vht(r))
		return r->idx;
	return (ieee80211_rate_get_vht_nss(r) - 1) * (wt_phy_is_he(r) ? WT_HE_MCS : WT_VHT_MCS) + ieee80211_rate_get_vht_mcs(r);
}

/* The next ones: of what may aggregate. */
u32 wt_phy_streams(const struct ieee80211_tx_rate *r)
{
	return wt_phy_is_vht(r) ? ieee80211_rate_get_vht_nss(r) : r->idx / 8 + 1;
}

u32 wt_phy_mhz(const struct ieee80211_tx_rate *r)
{
	return 20 << wt_vht_width(r);
}

u32 wt_phy_gi_ns(const struct ieee80211_tx_rate *r)
{
	return wt_phy_is_he(r) ? wt_p.he_gi_ns : r->flags & IEEE80211_TX_RC_SHORT_GI ? 400 : 800;
}

/* Of wt_vht_width()'s widths. */
static const u16 width_flag[] = { 0, IEEE80211_TX_RC_40_MHZ_WIDTH, IEEE80211_TX_RC_80_MHZ_WIDTH, IEEE80211_TX_RC_160_MHZ_WIDTH };

/* MCSs of a standard with one stream. */
static unsigned int mcs_of_stream(enum wt_standard of)
{
	return of == WT_HE ? WT_HE_MCS : of == WT_VHT ? WT_VHT_MCS : 8;
}

/* An MCS that a parameter gives, over all streams: 802.11ac's and ax's are with all of the link's. */
int wt_phy_fixed(unsigned int station, int mcs)
{
	enum wt_standard of = wt_standard_of(station);

	return of == WT_HE || of == WT_VHT ? mcs + (wt_listed(streams, n_streams, station) - 1) * mcs_of_stream(of) : mcs;
}

/* The rate of the link between a station and the AP at an MCS, over all streams. */
void wt_phy_set_fixed(struct ieee80211_tx_rate *r, unsigned int station, int mcs)
{
	enum wt_standard of = wt_standard_of(station);

	r->flags = width_flag[ilog2(wt_listed(fixed_mhz, n_mhz, station) / 20)];
	if (of == WT_HE)
		r->flags |= RC_HE;
	else if (wt_p.fixed_sgi)
		r->flags |= IEEE80211_TX_RC_SHORT_GI;
	if (of == WT_VHT || of == WT_HE) {
		r->flags |= IEEE80211_TX_RC_VHT_MCS;
		ieee80211_rate_set_vht(r, mcs % mcs_of_stream(of), mcs / mcs_of_stream(of) + 1);
	} else {
		r->flags |= IEEE80211_TX_RC_MCS;
		r->idx = mcs;
	}
}

/* The same for mac80211's statistics. */
struct rate_info wt_phy_rate_info(const struct ieee80211_tx_rate *r)
{
	static const enum rate_info_bw bw[] = { RATE_INFO_BW_20, RATE_INFO_BW_40, RATE_INFO_BW_80, RATE_INFO_BW_160 };
	struct rate_info info = { .mcs = wt_phy_mcs(r), .bw = bw[wt_vht_width(r)] };

	if (wt_phy_is_vht(r))
		info.nss = ieee80211_rate_get_vht_nss(r);
	if (wt_phy_is_he(r)) {
		info.flags = RATE_INFO_FLAGS_HE_MCS;
		info.he_gi = wt_he_gi();
		return info;
	}
	info.flags = wt_phy_is_vht(r) ? RATE_INFO_FLAGS_VHT_MCS : RATE_INFO_FLAGS_MCS;
	if (r->flags & IEEE80211_TX_RC_SHORT_GI)
		info.flags |= RATE_INFO_FLAGS_SHORT_GI;
	return info;
}

/* A bitrate by its index, 100 kbit/s. */
u32 wt_phy_legacy_rate(enum nl80211_band band, int idx)
{
	const struct ieee80211_supported_band *b = &bands[band == NL80211_BAND_2GHZ ? band : NL80211_BAND_5GHZ];

	return b->bitrates[clamp(idx, 0, b->n_bitrates - 1)].bitrate;
}

/* Which of 802.11b's four rates, whatever the preamble; -1: it is none. */
int wt_phy_dsss_of(u32 rate_100k)
{
	static const u8 all[WT_DSSS_RATES] = { 10, 20, 55, 110 };
	int i;

	for (i = WT_DSSS_RATES - 1; i >= 0 && all[i] != (rate_100k & ~WT_SHORT_PREAMBLE); i--)
		;
	return i;
}

static bool is_dsss(u32 rate_100k)
{
	return wt_phy_dsss_of(rate_100k) >= 0;
}

/* A rate without MCS with its preamble. Whether that is short the frame says; 1 Mbit/s has the long one only (ath9k/xmit.c ath_buf_set_rate). */
u32 wt_phy_rate(enum nl80211_band band, const struct ieee80211_tx_rate *r)
{
	u32 rate = wt_phy_legacy_rate(band, r->idx);

	return r->flags & IEEE80211_TX_RC_USE_SHORT_PREAMBLE && rate > 10 && is_dsss(rate) ? rate | WT_SHORT_PREAMBLE : rate;
}

/* Which of 802.11a's eight rates; another fares as the slowest. */
u32 wt_phy_ofdm_of(u32 rate_100k)
{
	static const u16 all[WT_OFDM_RATES] = { 60, 90, 120, 180, 240, 360, 480, 540 };
	u32 i;

	for (i = WT_OFDM_RATES - 1; i && all[i] != rate_100k; i--)
		;
	return i;
}

/* The lowest mandatory rate (16.3.3, 17.3.8.3, 18.4.4), 100 kbit/s. */
u32 wt_phy_lowest_rate(enum nl80211_band band)
{
	return band == NL80211_BAND_2GHZ ? 10 : 60;
}

/* aSIFSTime: tables 16-4, 17-21, 18-5 */
u64 wt_phy_sifs_ns(enum nl80211_band band)
{
	return band == NL80211_BAND_2GHZ ? 10000 : WT_SIFS_NS;
}

/* aSlotTime: tables 17-21 and 18-5; the long one where the BSS has a station that knows no other (ath9k/main.c ath9k_bss_info_changed) */
u64 wt_phy_slot_ns(const struct wt_radio *r)
{
	return wt_band(r) != NL80211_BAND_2GHZ || !r->vif || r->vif->bss_conf.use_short_slot ? 9000 : 20000;
}

/* The signal extension of what is sent at such a rate (of control frames, of the class of what they answer or precede): a part of TXTIME. */
u64 wt_phy_extension_ns(enum nl80211_band band, u32 rate_100k)
{
	return band == NL80211_BAND_2GHZ && !is_dsss(rate_100k) ? 6000 : 0;
}

/* From the end of what was sent, without its extension, to what follows SIFS behind it. */
u64 wt_phy_gap_ns(enum nl80211_band band, u32 rate_100k)
{
	return wt_phy_sifs_ns(band) + wt_phy_extension_ns(band, rate_100k);
}

/* 16.2.2: preamble and header, 144 + 48 us, or 72 + 24 */
static u64 dsss_preamble_ns(u32 rate_100k)
{
	return rate_100k & WT_SHORT_PREAMBLE ? 96000 : 192000;
}

/* aRxPHYStartDelay: CCK's preamble with its header, or 20 us (table 17-21). */
u64 wt_phy_start_ns(u32 rate_100k)
{
	return is_dsss(rate_100k) ? dsss_preamble_ns(rate_100k) : 20000;
}

/* 17.4.3: 16 us of training, 4 us SIGNAL, then 16 service bits, the octets and 6 tail bits in 4 us symbols */
u64 wt_phy_control_ns(u32 rate_100k, u32 bytes)
{
	if (is_dsss(rate_100k))
		return dsss_preamble_ns(rate_100k) + DIV_ROUND_UP(bytes * 8 * 10, rate_100k & ~WT_SHORT_PREAMBLE) * 1000ull;
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

/* How data are modulated, as a number below WT_MODULATIONS. */
u32 wt_phy_modulation(enum nl80211_band band, const struct ieee80211_tx_rate *r)
{
	u32 mcs = wt_phy_mcs(r), slot = mcs & 31, legacy;

	if (!wt_phy_aggregates(r)) {
		legacy = wt_phy_rate(band, r);
		return WT_MCS_MODULATIONS + (wt_phy_dsss_of(legacy) < 0 ? WT_DSSS_RATES + wt_phy_ofdm_of(legacy) : wt_phy_dsss_of(legacy));
	}
	if (wt_phy_is_vht(r))
		slot = 32 + ((wt_phy_is_he(r) ? 8 : 0) + wt_phy_streams(r) - 1) * WT_HE_MCS + mcs;
	return slot * 8 + wt_vht_width(r) * 2 + !!(r->flags & IEEE80211_TX_RC_SHORT_GI);
}

/* The rate of such a number; without MCS by its place at 2.4 GHz. */
struct ieee80211_tx_rate wt_phy_modulated(u32 k)
{
	struct ieee80211_tx_rate r = { .idx = k / 8, .flags = width_flag[k / 2 % 4] | (k & 1 ? IEEE80211_TX_RC_SHORT_GI : 0) };
	u32 of = k / 8 - 32;

	if (k >= WT_MCS_MODULATIONS)
		return (struct ieee80211_tx_rate) { .idx = k - WT_MCS_MODULATIONS };
	if (k / 8 < 32) {
		r.flags |= IEEE80211_TX_RC_MCS;
		return r;
	}
	r.flags |= IEEE80211_TX_RC_VHT_MCS | (of / WT_HE_MCS >= 8 ? RC_HE : 0);
	ieee80211_rate_set_vht(&r, of % WT_HE_MCS, of / WT_HE_MCS % 8 + 1);
	return r;
}

/* Its bits in a second; without MCS it is named as at 2.4 GHz. */
u64 wt_phy_bps(const struct ieee80211_tx_rate *r)
{
	u64 bits = wt_phy_is_vht(r) ? wt_vht_symbol_bits(r) : ht_symbol_bits(r);

	if (!wt_phy_aggregates(r))
		return wt_phy_legacy_rate(NL80211_BAND_2GHZ, r->idx) * 100000ull;
	if (wt_phy_is_he(r))
		return wt_he_bps(r);
	return div_u64(bits * NSEC_PER_SEC, r->flags & IEEE80211_TX_RC_SHORT_GI ? 3600 : 4000);
}

u64 wt_phy_ppdu_ns(enum nl80211_band band, const struct ieee80211_tx_rate *r, u32 bytes)
{
	u64 ns;
	u32 n;

	if (wt_phy_is_vht(r))
		return wt_phy_is_he(r) ? wt_he_ppdu_ns(r, bytes) : wt_vht_ppdu_ns(r, bytes);
	if (!(r->flags & IEEE80211_TX_RC_MCS))
		return wt_phy_control_ns(wt_phy_rate(band, r), bytes);
	n = DIV_ROUND_UP(16 + 6 + 8 * bytes, ht_symbol_bits(r));
	ns = r->flags & IEEE80211_TX_RC_SHORT_GI ? roundup(n * 3600ull, 4000) : n * 4000ull;
	return ht_preamble_ns(r) + ns;
}

/* What ath9k counts as its airtime: with a SIFS of its kind if it is not of 802.11n (ath9k/hw.c ath9k_hw_computetxtime). */
u64 wt_phy_counted_ns(enum nl80211_band band, const struct ieee80211_tx_rate *r, u32 bytes)
{
	u64 sifs = wt_phy_aggregates(r) ? 0 : is_dsss(wt_phy_legacy_rate(band, r->idx)) ? 10000 : WT_SIFS_NS;

	return wt_phy_ppdu_ns(band, r, bytes) + sifs;
}

/* The longest PSDU that lasts at most `us` (ath9k/xmit.c ath_max_framelen). */
u32 wt_phy_bytes_in(const struct ieee80211_tx_rate *r, u32 us)
{
	u64 ns = us * 1000ull;
	u32 symbols;

	if (wt_phy_is_vht(r))
		return wt_phy_is_he(r) ? wt_he_bytes_in(r, ns) : wt_vht_bytes_in(r, ns);
	if (ns < ht_preamble_ns(r) + 8000)
		return 0;
	ns -= ht_preamble_ns(r);
	symbols = div_u64(ns, r->flags & IEEE80211_TX_RC_SHORT_GI ? 3600 : 4000);
	return (symbols * ht_symbol_bits(r) - 22) / 8;
}

/* Octets that pass in a minimum MPDU start spacing of `ns`: ath9k's count (xmit.c ath_compute_num_delims), else the rate's. */
u32 wt_phy_bytes_per_ns_gap(const struct ieee80211_tx_rate *r, u32 ns)
{
	u32 symbol = r->flags & IEEE80211_TX_RC_SHORT_GI ? 3600 : 4000;

	if (wt_phy_is_he(r))
		return div_u64((u64)wt_he_symbol_bits(r) * ns, 8 * wt_he_symbol_ns());
	if (wt_phy_is_vht(r))
		return div_u64((u64)wt_vht_symbol_bits(r) * ns, 8 * symbol);
	return max(ns / symbol, 1u) * ht_symbol_bits(r) / 8;
}

/* The highest basic rate of 802.11b's that is not above `rate`, else `rate` itself: all four are mandatory. With the BSS's preamble. */
static u32 dsss_response(const struct wt_radio *r, u32 rate)
{
	int i, of = wt_phy_dsss_of(rate);
	u32 basic = r->vif ? r->vif->bss_conf.basic_rates : 0;

	for (i = of; i >= 0 && !(basic & BIT(i)); i--)
		;
	rate = rates[i < 0 ? of : i].bitrate;
	return rate > 10 && r->vif && r->vif->bss_conf.use_short_preamble ? rate | WT_SHORT_PREAMBLE : rate;
}

/* 10.27.2: what protects frames of OFDM from stations of 802.11b goes at a basic rate of theirs: the highest. */
u32 wt_phy_dsss_protection_rate(const struct wt_radio *r)
{
	return dsss_response(r, 110);
}

/*
 * 10.7.6.5.2: a response goes at the highest basic rate not above the frame's, of its modulation class; for HT that is compared with the
 * non-HT rate of the same modulation and coding (table 10-6). Of OFDM 6, 12 and 24 Mbit/s: basic at 5 GHz; at 2.4, where hostapd has 1, 2, 5.5
 * and 11 for basic rates (hw_features.c hostapd_prepare_rates), mandatory.
 */
u32 wt_phy_response_rate(const struct wt_radio *r, const struct ieee80211_tx_rate *of)
{
	static const u16 of_mcs[8] = { 60, 120, 120, 240, 240, 240, 240, 240 };
	u32 rate;

	if (wt_p.ctl_rate)
		return wt_p.ctl_rate;
	if (wt_phy_is_vht(of))
		return of_mcs[min(wt_phy_mcs(of), 7)];
	if (of->flags & IEEE80211_TX_RC_MCS)
		return of_mcs[of->idx % 8];
	rate = wt_phy_legacy_rate(wt_band(r), of->idx);
	if (is_dsss(rate))
		return dsss_response(r, rate);
	return rate >= 240 ? 240 : rate >= 120 ? 120 : 60;
}
