// SPDX-License-Identifier: GPL-2.0
/*
 * ampdu: which frames travel together.
 *
 * Source: drivers/net/wireless/ath/ath9k/xmit.c: ath_tx_get_tid_subframe, ath_tx_form_aggr, ath_lookup_rate,
 *   ath_compute_num_delims. An aggregate ends at whichever comes first:
 *
 *     the Block Ack window            no frame beyond seq_start + window
 *     max_frames (32)                 ath9k: half the window
 *     max_bytes (65535)               or less, if the peer's HT capability says so
 *     max_us (4096, or the TXOP)      at the slowest rate of the chain; 0 frames more if one of them is legacy or a probe
 *                                     (ath10k: the TXOP less what protects and answers the aggregate)
 *     a probe, or a frame outside the session
 *     an empty queue
 *
 * Differs:
 *   D1  MPDU density adds delimiters as ath9k does, after the frame.
 *   D2  with a fixed rate, rate control's probe flag is ignored.
 */
#include "air/medium.h"
#include "air/phy.h"
#include "driver.h"
#include "mpdu/ampdu.h"
#include "mpdu/block_ack.h"
#include "mpdu/rates.h"
#include "mpdu/status.h"

#define CIPHER_DELIMS	10	/* ath9k.h ATH_AGGR_ENCRYPTDELIM */

/* ath_tx_get_tid_subframe: the next frame that the window allows; frames to be retried come first */
int wt_ampdu_next(struct wt_radio *r, struct wt_tid *tid, struct sk_buff **out)
{
	struct sk_buff *skb, *put_back = NULL;
	struct ieee80211_tx_info *info;
	struct wt_frame *f;

	for (;;) {
		skb = __skb_dequeue(&tid->retry_q);
		if (!skb) {
			skb = r->driver->dequeue ? r->driver->dequeue(r, tid) : __skb_dequeue(&tid->fw_q);
			if (!skb)
				return -ENOENT;
		}
		f = wt_frame(skb);
		info = IEEE80211_SKB_CB(skb);
		if (!tid->active)
			info->flags &= ~IEEE80211_TX_CTL_AMPDU;
		if (!(info->flags & IEEE80211_TX_CTL_AMPDU))
			break;
		if (!wt_ba_within(tid, f->seq)) {
			wt_ba_keep(r, tid, skb);
			if (r->driver->in_order)
				return -EINPROGRESS;
			/* others that wait may lie within; stop when this one comes round again */
			if (!skb_queue_is_first(&tid->retry_q, skb) && skb != put_back) {
				if (!put_back)
					put_back = skb;
				continue;
			}
			return -EINPROGRESS;
		}
		if (wt_ba_given_up(tid, f->seq)) {
			wt_ba_complete(tid, skb);
			r->count.dropped_mpdus++;
			wt_status_done(r, skb, false);
			continue;
		}
		wt_ba_add(tid, skb);
		break;
	}
	*out = skb;
	return 0;
}

/* Octets of an aggregate of `p` at one rate of its chain. */
static u32 bytes_at(const struct wt_radio *r, const struct wt_edcaf *e, const struct wt_ppdu *p, const struct ieee80211_tx_rate *rate)
{
	u32 extension = r->driver->whole_ppdus ? wt_phy_extension_ns(wt_band(r), wt_phy_response_rate(r, rate)) / 1000 : 0;
	u32 bytes = wt_phy_bytes_in(rate, wt_p.max_us[r->driver->mode] - extension), around = 0, left;

	if (!r->driver->within_txop || !e->txop_us)
		return bytes;
	if (r->driver->txop_holds_all)
		around = DIV_ROUND_UP_ULL(wt_medium_around_ns(r, p, rate), 1000);
	left = wt_phy_bytes_in(rate, e->txop_us > around ? e->txop_us - around : 0);
	return min(bytes, left);
}

/*
 * ath_lookup_rate: the length that no rate of the chain carries for longer than allowed; 0: one frame only. ath9k's tables know of TXOP
 * limits (ath_update_max_aggr_framelen), ath9k_htc's firmware has one of its own.
 */
u32 wt_ampdu_limit(const struct wt_radio *r, struct wt_edcaf *e, struct wt_ppdu *p, struct sk_buff *first)
{
	u32 limit = wt_p.max_bytes[r->driver->mode];
	int i;

	if (wt_rates_probing(r, first))
		return 0;
	for (i = 0; i < IEEE80211_TX_MAX_RATES && p->rates[i].idx >= 0; i++) {
		if (!p->rates[i].count)
			continue;
		if (!wt_phy_aggregates(&p->rates[i]))
			return 0;
		limit = min(limit, r->driver->longest ? r->driver->longest(&p->rates[i]) : bytes_at(r, e, p, &p->rates[i]));
	}
	if (p->sta)
		limit = min(limit, ((struct wt_sta *)p->sta->drv_priv)->max_ampdu);
	/* of 802.11ac and ax it is padded to its last word */
	return wt_phy_is_vht(&p->rates[0]) ? round_down(limit, 4) : limit;
}

/*
 * ath_compute_num_delims: octets of delimiters after a frame of `len` octets; `cipher`: the engine of a card without EDMA wants more. Cards of
 * 802.11ac and ax: what lacks from the start of one subframe to the next (10.12.3). ath9k_htc's firmware has its own rule.
 */
static u32 delimiters(const struct wt_radio *r, struct wt_ppdu *p, u32 len, bool cipher)
{
	u32 shortest = r->driver->shortest, n = len >= shortest ? 0 : DIV_ROUND_UP(shortest - len, WT_DELIM);
	u32 ns = p->sta ? ((struct wt_sta *)p->sta->drv_priv)->density_ns : 0;

	if (wt_phy_is_vht(&p->rates[0])) {
		u32 gap = wt_phy_bytes_per_ns_gap(&p->rates[0], ns), subframe = ALIGN(WT_DELIM + len, WT_DELIM);

		return gap > subframe ? ALIGN(gap - subframe, WT_DELIM) : 0;
	}
	if (r->driver->delimiters)
		n = r->driver->delimiters(len);
	if (cipher)
		n += CIPHER_DELIMS;
	if (ns && !r->driver->delimiters) {
		u32 gap = wt_phy_bytes_per_ns_gap(&p->rates[0], ns);

		if (len < gap)
			n = max(n, (gap - len) / WT_DELIM);
	}
	return n * WT_DELIM;
}

/* Whether a frame goes with those that are there. */
bool wt_ampdu_fits(const struct wt_radio *r, const struct wt_ampdu_size *size, const struct wt_ppdu *p, struct sk_buff *skb,
		   u32 limit, u32 frames)
{
	return limit >= size->bytes + size->pad + WT_DELIM + wt_mpdu_len(skb) && p->n < frames && !wt_rates_probing(r, skb) &&
	       IEEE80211_SKB_CB(skb)->flags & IEEE80211_TX_CTL_AMPDU;
}

void wt_ampdu_add(const struct wt_radio *r, struct wt_ampdu_size *size, struct wt_ppdu *p, struct sk_buff *skb)
{
	u32 len = wt_mpdu_len(skb);
	bool cipher = !wt_p.edma && r->driver->shortest && wt_protected(skb);	/* ath9k's and its firmware's */

	size->bytes += size->pad + WT_DELIM + len;
	size->pad = (4 - (WT_DELIM + len) % 4) % 4 + delimiters(r, p, len, cipher);
	p->mpdu[p->n++] = skb;
}

void wt_ampdu_form(struct wt_radio *r, struct wt_edcaf *e, struct wt_tid *tid, struct wt_ppdu *p,
		   struct sk_buff *first)
{
	u32 limit = wt_ampdu_limit(r, e, p, first), cap;
	struct wt_ampdu_size size = {};
	struct sk_buff *skb = first;

	cap = min_t(u32, *r->driver->max_frames, WT_MAX_MPDUS);
	p->ampdu = true;
	p->probe = wt_rates_probing(r, first);
	for (;;) {
		if (p->n && !wt_ampdu_fits(r, &size, p, skb, limit, cap)) {
			wt_ba_keep(r, tid, skb);
			break;
		}
		wt_ampdu_add(r, &size, p, skb);
		if (wt_ampdu_next(r, tid, &skb) < 0)
			break;
	}
	wt_ampdu_formed(r, &size, p);
}

void wt_ampdu_formed(struct wt_radio *r, const struct wt_ampdu_size *size, struct wt_ppdu *p)
{
	p->aggr = p->n > 1;
	p->bytes = p->aggr ? size->bytes : wt_mpdu_len(p->mpdu[0]);
	if (wt_phy_is_vht(&p->rates[0]))
		p->bytes = ALIGN(p->bytes + (p->aggr ? 0 : WT_DELIM), 4);
	if (p->aggr)
		r->count.aggregates++;
	else
		r->count.singles++;
}
