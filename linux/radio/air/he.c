// SPDX-License-Identifier: GPL-2.0
/*
 * he: durations and capabilities of 802.11ax.
 *
 * Source: IEEE 802.11ax-2021, 27.4.3 (TXTIME), tables 27-12 (fields), 27-33 (a symbol's short part), 27.3.12.5 (symbols, the pre-FEC padding
 *   factor), table 27-46 (packet extension for 16 us of nominal packet padding), 27.5 (MCSs of the RUs that take a whole channel).
 *   The model's: crates/core/src/phy/he_duration.rs.
 * Differs:
 *   D1  HE SU only: one user over the whole channel; no DCM, no STBC, no extra symbol segment of LDPC (4 us at most).
 *   D2  HE-LTFs are 2x ones with guard intervals of 0.8 and 1.6 us, 4x ones with 3.2 us.
 *   D3  the medium is free at the end of the packet extension, not at the whole 4 us of L-SIG's length.
 */
#include "air/he.h"
#include "air/vht.h"
#include "params.h"

#define SERVICE		16
#define TAIL		6
#define SEGMENTS	4	/* of a last symbol */

static u32 bits(const struct ieee80211_tx_rate *r, u32 subcarriers)
{
	const struct wt_coding *c = &wt_coding[ieee80211_rate_get_vht_mcs(r)];

	return subcarriers * c->bits * ieee80211_rate_get_vht_nss(r) * c->num / c->den;
}

static const u16 data_subcarriers[4] = { 234, 468, 980, 1960 };

u32 wt_he_symbol_bits(const struct ieee80211_tx_rate *r)
{
	return bits(r, data_subcarriers[wt_vht_width(r)]);
}

/* Its rate, bit/s: a symbol's part of a bit counts in it, as in the standard's tables. */
u64 wt_he_bps(const struct ieee80211_tx_rate *r)
{
	const struct wt_coding *c = &wt_coding[ieee80211_rate_get_vht_mcs(r)];
	u64 coded = data_subcarriers[wt_vht_width(r)] * c->bits * ieee80211_rate_get_vht_nss(r);

	return div_u64(coded * c->num * NSEC_PER_SEC, c->den * wt_he_symbol_ns());
}

/* Of each of the first three segments of a last symbol. */
static u32 segment_bits(const struct ieee80211_tx_rate *r)
{
	static const u16 subcarriers[4] = { 60, 120, 240, 492 };

	return bits(r, subcarriers[wt_vht_width(r)]);
}

u32 wt_he_symbol_ns(void)
{
	return 12800 + wt_p.he_gi_ns;
}

enum nl80211_he_gi wt_he_gi(void)
{
	return wt_p.he_gi_ns == 800 ? NL80211_RATE_INFO_HE_GI_0_8 : wt_p.he_gi_ns == 1600 ? NL80211_RATE_INFO_HE_GI_1_6 : NL80211_RATE_INFO_HE_GI_3_2;
}

/* LDPC, which has no tail bits, is a must beyond 20 MHz, four streams or 256-QAM (27.1.1). */
static u32 overhead(const struct ieee80211_tx_rate *r)
{
	bool ldpc = wt_vht_width(r) || ieee80211_rate_get_vht_nss(r) > 4 || ieee80211_rate_get_vht_mcs(r) >= WT_VHT_MCS;

	return SERVICE + (ldpc ? 0 : TAIL);
}

/* L-STF, L-LTF, L-SIG, RL-SIG, HE-SIG-A, HE-STF, HE-LTFs. */
static u64 preamble_ns(const struct ieee80211_tx_rate *r)
{
	u32 ltf = 3200 * (wt_p.he_gi_ns == 3200 ? 4 : 2) + wt_p.he_gi_ns;

	return 36000 + (u64)wt_vht_training_fields(ieee80211_rate_get_vht_nss(r)) * ltf;
}

static u32 extension_ns(u32 segments)
{
	return 4000 * segments;
}

u64 wt_he_ppdu_ns(const struct ieee80211_tx_rate *r, u32 bytes)
{
	u32 all = overhead(r) + 8 * bytes, each = wt_he_symbol_bits(r), last = all % each;
	u32 segments = last ? min_t(u32, DIV_ROUND_UP(last, segment_bits(r)), SEGMENTS) : SEGMENTS;

	return preamble_ns(r) + (u64)DIV_ROUND_UP(all, each) * wt_he_symbol_ns() + extension_ns(segments);
}

/* The longest PSDU that lasts at most `ns`: a symbol more may fit where fewer of its segments are filled, since the extension is shorter then. */
u32 wt_he_bytes_in(const struct ieee80211_tx_rate *r, u64 ns)
{
	u64 most = 0;
	u32 k;

	for (k = 1; k <= SEGMENTS; k++) {
		u64 before = preamble_ns(r) + extension_ns(k), symbols = ns < before ? 0 : div_u64(ns - before, wt_he_symbol_ns());

		if (symbols)
			most = max(most, (symbols - 1) * wt_he_symbol_bits(r) + (k == SEGMENTS ? wt_he_symbol_bits(r) : k * segment_bits(r)));
	}
	return most < overhead(r) ? 0 : (most - overhead(r)) / 8;
}

/* What a card says of itself: MCS 0 to 11 with its streams, A-MPDUs as long as may be, A-MSDUs within them. `data` is kept. */
void wt_he_caps(struct ieee80211_supported_band *band, struct ieee80211_sband_iftype_data *data, u32 streams)
{
#if !WT_BEFORE(6, 0)	/* where 802.11ax is refused: wt_phy_check */
	struct ieee80211_he_cap_elem *he = &data->he_cap.he_cap_elem;
	struct ieee80211_he_mcs_nss_supp *mcs = &data->he_cap.he_mcs_nss_supp;
	bool wide = wt_listed(fixed_mhz, n_mhz, 0) == 160;
	u16 map = 0xffff;	/* two bits a stream: 3, not supported */
	unsigned int i;

	memset(data, 0, sizeof(*data));
	data->types_mask = BIT(NL80211_IFTYPE_STATION) | BIT(NL80211_IFTYPE_AP);
	data->he_cap.has_he = true;
	he->mac_cap_info[0] = IEEE80211_HE_MAC_CAP0_HTC_HE;
	he->mac_cap_info[3] = IEEE80211_HE_MAC_CAP3_OMI_CONTROL | IEEE80211_HE_MAC_CAP3_MAX_AMPDU_LEN_EXP_EXT_3;
	he->mac_cap_info[4] = IEEE80211_HE_MAC_CAP4_AMSDU_IN_AMPDU;
	he->phy_cap_info[0] = IEEE80211_HE_PHY_CAP0_CHANNEL_WIDTH_SET_40MHZ_80MHZ_IN_5G;
	if (wide)
		he->phy_cap_info[0] |= IEEE80211_HE_PHY_CAP0_CHANNEL_WIDTH_SET_160MHZ_IN_5G;
	he->phy_cap_info[1] = IEEE80211_HE_PHY_CAP1_LDPC_CODING_IN_PAYLOAD;
	he->phy_cap_info[9] = IEEE80211_HE_PHY_CAP9_NOMINAL_PKT_PADDING_16US << IEEE80211_HE_PHY_CAP9_NOMINAL_PKT_PADDING_POS;
	for (i = 0; i < streams; i++)
		map = (map & ~(3 << 2 * i)) | IEEE80211_HE_MCS_SUPPORT_0_11 << 2 * i;
	mcs->rx_mcs_80 = mcs->tx_mcs_80 = cpu_to_le16(map);
	mcs->rx_mcs_160 = mcs->tx_mcs_160 = cpu_to_le16(wide ? map : 0xffff);
	mcs->rx_mcs_80p80 = mcs->tx_mcs_80p80 = cpu_to_le16(0xffff);
	_ieee80211_set_sband_iftype_data(band, data, 1);
#endif
}
