// SPDX-License-Identifier: GPL-2.0
/*
 * ladder: the rates that a station can be sent at, slowest first, each faster than the one before.
 *
 * Source: IEEE 802.11-2016, 19.5 (HT MCSs 0 to 31: data bits a symbol and stream, symbols of 4 or 3.6 us). The width and the
 *   guard interval are the best that both ends have, as the thesis has them (40 MHz, short); a rate that two MCSs
 *   have is taken from the one with fewer streams.
 * Differs:
 *   D5  HT only: of VHT and later stations their HT rates are used; stations without HT get the band's own rates.
 *   D6  one guard interval; Minstrel-HT tries both.
 */
#include "aasrc.h"

static const u16 bits[8][2] = {
	{ 26, 54 }, { 52, 108 }, { 78, 162 }, { 104, 216 }, { 156, 324 }, { 208, 432 }, { 234, 486 }, { 260, 540 },
};
static const u8 modulations[8] = { 0, 1, 1, 2, 2, 3, 3, 3 };

static int add(struct aasrc_rate *out, int n, int idx, u16 flags, u32 kbps, u8 modulation)
{
	int i = n;

	if (n == AASRC_MAX_RATES)
		return n;
	while (i && out[i - 1].kbps > kbps)
		i--;
	if (i && out[i - 1].kbps == kbps)
		return n;
	memmove(out + i + 1, out + i, (n - i) * sizeof(*out));
	out[i] = (struct aasrc_rate){ .idx = idx, .flags = flags, .kbps = kbps, .modulation = modulation };
	return n + 1;
}

static int ht(struct aasrc_rate *out, const struct ieee80211_supported_band *sband, const struct ieee80211_sta *sta)
{
	const struct ieee80211_sta_ht_cap *cap = &sta->deflink.ht_cap;
	bool wide = sta->deflink.bandwidth >= IEEE80211_STA_RX_BW_40;
	bool sgi = cap->cap & sband->ht_cap.cap & (wide ? IEEE80211_HT_CAP_SGI_40 : IEEE80211_HT_CAP_SGI_20);
	u16 flags = IEEE80211_TX_RC_MCS | (wide ? IEEE80211_TX_RC_40_MHZ_WIDTH : 0) | (sgi ? IEEE80211_TX_RC_SHORT_GI : 0);
	u32 most = sta->deflink.smps_mode == IEEE80211_SMPS_STATIC ? 1 : READ_ONCE(aasrc_p.streams) ?: 4;
	int n = 0, mcs;

	for (mcs = 0; mcs < 32 && mcs / 8 < most; mcs++) {
		u32 kbps = bits[mcs % 8][wide] * (mcs / 8 + 1) * (sgi ? 2500 : 2250) / 9;

		if (cap->mcs.rx_mask[mcs / 8] & sband->ht_cap.mcs.rx_mask[mcs / 8] & BIT(mcs % 8))
			n = add(out, n, mcs, flags, kbps, modulations[mcs % 8]);
	}
	return n;
}

/* Fills `out`; answers how many. */
int aasrc_ladder(struct aasrc_rate *out, const struct ieee80211_supported_band *sband, const struct ieee80211_sta *sta)
{
	int n = 0, i;

	if (sta->deflink.ht_cap.ht_supported)
		n = ht(out, sband, sta);
	for (i = 0; !sta->deflink.ht_cap.ht_supported && i < sband->n_bitrates; i++)
		if (rate_supported((struct ieee80211_sta *)sta, sband->band, i)) {
			u32 kbps = sband->bitrates[i].bitrate * 100;

			n = add(out, n, i, 0, kbps, kbps <= 11000 ? 0 : kbps <= 18000 ? 1 : kbps <= 36000 ? 2 : 3);
		}
	return n;
}

/* Which of the ladder a driver's report names. */
int aasrc_find(const struct aasrc *a, int idx, u16 flags)
{
	const u16 kind = IEEE80211_TX_RC_MCS | IEEE80211_TX_RC_VHT_MCS | IEEE80211_TX_RC_40_MHZ_WIDTH | IEEE80211_TX_RC_SHORT_GI;
	int i;

	for (i = 0; i < a->n; i++)
		if (a->rate[i].idx == idx && a->rate[i].flags == (flags & kind))
			return i;
	return AASRC_NONE;
}
