// SPDX-License-Identifier: GPL-2.0
/*
 * vht: durations and capabilities of 802.11ac.
 *
 * Source: IEEE 802.11-2020, table 21-5 (data subcarriers), 21.4.3 (VHT TXTIME), 21.5 (MCSs, encoders and the combinations that are left out).
 * Differs:
 *   D1  one user, no STBC, no LDPC; the number of encoders is the smallest that carries the bits and divides coded and data bits evenly,
 *       which is what every table has.
 *   D2  a PSDU is given with its last subframe's padding, and takes no further one.
 */
#include "air/vht.h"
#include "params.h"

#define AROUND		16	/* SERVICE; each encoder has 6 tail bits */
#define PER_ENCODER	2160	/* data bits that one encoder takes in a symbol: 540 Mbit/s at 4 us */

const struct wt_coding wt_coding[WT_HE_MCS] = {
	{ 1, 1, 2 }, { 2, 1, 2 }, { 2, 3, 4 }, { 4, 1, 2 }, { 4, 3, 4 }, { 6, 2, 3 }, { 6, 3, 4 }, { 6, 5, 6 }, { 8, 3, 4 }, { 8, 5, 6 },
	{ 10, 3, 4 }, { 10, 5, 6 },
};

/* 0 to 3: 20, 40, 80, 160 MHz */
unsigned int wt_vht_width(const struct ieee80211_tx_rate *r)
{
	return r->flags & IEEE80211_TX_RC_160_MHZ_WIDTH ? 3 : r->flags & IEEE80211_TX_RC_80_MHZ_WIDTH ? 2 :
	       r->flags & IEEE80211_TX_RC_40_MHZ_WIDTH ? 1 : 0;
}

/* Table 21-13; 802.11ax-2021 27.3.11.10. */
unsigned int wt_vht_training_fields(unsigned int streams)
{
	return streams > 2 ? roundup(streams, 2) : streams;
}

static u32 coded_bits(const struct ieee80211_tx_rate *r)
{
	static const u16 subcarriers[4] = { 52, 108, 234, 468 };

	return subcarriers[wt_vht_width(r)] * wt_coding[ieee80211_rate_get_vht_mcs(r)].bits * ieee80211_rate_get_vht_nss(r);
}

u32 wt_vht_symbol_bits(const struct ieee80211_tx_rate *r)
{
	const struct wt_coding *c = &wt_coding[ieee80211_rate_get_vht_mcs(r)];

	return coded_bits(r) * c->num / c->den;
}

/* SERVICE and the encoders' tails. */
static u32 overhead(const struct ieee80211_tx_rate *r)
{
	u32 data = wt_vht_symbol_bits(r), coded = coded_bits(r), encoders = DIV_ROUND_UP(data, PER_ENCODER);

	while (data % encoders || coded % encoders)
		encoders++;
	return AROUND + 6 * encoders;
}

/* Legacy part 20 us, VHT-SIG-A 8, VHT-STF 4, 4 us a VHT-LTF, VHT-SIG-B 4. */
static u64 preamble_ns(const struct ieee80211_tx_rate *r)
{
	return 36000 + 4000ull * wt_vht_training_fields(ieee80211_rate_get_vht_nss(r));
}

u64 wt_vht_ppdu_ns(const struct ieee80211_tx_rate *r, u32 bytes)
{
	u32 n = DIV_ROUND_UP(overhead(r) + 8 * bytes, wt_vht_symbol_bits(r));

	return preamble_ns(r) + (r->flags & IEEE80211_TX_RC_SHORT_GI ? roundup(n * 3600ull, 4000) : n * 4000ull);
}

/* The longest PSDU that lasts at most `ns`. */
u32 wt_vht_bytes_in(const struct ieee80211_tx_rate *r, u64 ns)
{
	u64 bits;

	if (ns < preamble_ns(r) + 4000)
		return 0;
	ns -= preamble_ns(r);
	/* with the short guard interval the payload is rounded up to 4 us, so the room is rounded down to that first */
	bits = (r->flags & IEEE80211_TX_RC_SHORT_GI ? div_u64(ns, 4000) * 4000 / 3600 : div_u64(ns, 4000)) * wt_vht_symbol_bits(r);
	return bits < overhead(r) ? 0 : (bits - overhead(r)) / 8;
}

/* Combinations that 21.5's tables leave out. */
bool wt_vht_exists(unsigned int mcs, unsigned int streams, unsigned int mhz)
{
	if (mcs >= WT_VHT_MCS || !streams || streams > 8)
		return false;
	switch (mhz) {
	case 20:
		return mcs != 9 || streams == 3 || streams == 6;
	case 80:
		return !(mcs == 6 && (streams == 3 || streams == 7)) && !(mcs == 9 && streams == 6);
	case 160:
		return mcs != 9 || streams != 3;
	default:
		return true;
	}
}

/* What a card says of itself: the longest MPDUs and A-MPDUs, MCS 0 to 9 with its streams. */
void wt_vht_caps(struct ieee80211_sta_vht_cap *vht, u32 streams)
{
	u16 map = 0xffff;	/* two bits a stream: 3, not supported */
	unsigned int i;

	vht->vht_supported = true;
	vht->cap = IEEE80211_VHT_CAP_MAX_MPDU_LENGTH_11454 | IEEE80211_VHT_CAP_SHORT_GI_80 |
		   FIELD_PREP(IEEE80211_VHT_CAP_MAX_A_MPDU_LENGTH_EXPONENT_MASK, 7);
	if (wt_listed(fixed_mhz, n_mhz, 0) == 160)
		vht->cap |= IEEE80211_VHT_CAP_SUPP_CHAN_WIDTH_160MHZ | IEEE80211_VHT_CAP_SHORT_GI_160;
	for (i = 0; i < streams; i++)
		map = (map & ~(3 << 2 * i)) | IEEE80211_VHT_MCS_SUPPORT_0_9 << 2 * i;
	vht->vht_mcs.rx_mcs_map = vht->vht_mcs.tx_mcs_map = cpu_to_le16(map);
}
