// SPDX-License-Identifier: GPL-2.0
/*
 * amsdu: several MSDUs in one MPDU, of what waits in a device's FIFO.
 *
 * mac80211 has numbered each as an MPDU of its own; those that ride with another give their numbers back. On the air they are one MPDU of
 * wt_mpdu_len() octets; whoever receives it hands them up one by one (air/rx.c), all with the MPDU's number.
 *
 * Source: IEEE 802.11-2016, 9.3.2.2 (A-MSDU), 10.12 (A-MSDUs within an A-MPDU); the model's crates/core/src/wifi/amsdu.rs,
 *   driver/offload/firmware.rs.
 * Differs:
 *   D1  it is filled with what waits, once the window lets it through, and does not wait for more; how the cards' firmware does it is not public.
 *   D2  QoS Control says nothing of it: frames stay as mac80211 made them.
 */
#include "driver.h"
#include "mpdu/amsdu.h"
#include "mpdu/block_ack.h"

static bool in_session(struct sk_buff *skb)
{
	return IEEE80211_SKB_CB(skb)->flags & IEEE80211_TX_CTL_AMPDU &&
	       ieee80211_is_data_qos(((const struct ieee80211_hdr *)skb->data)->frame_control);
}

/* Octets of an A-MSDU: one within an A-MPDU of 802.11n is shorter than 802.11ac's and ax's. */
u32 wt_amsdu_longest(const struct wt_radio *r, struct ieee80211_sta *sta)
{
	enum wt_standard of = wt_standard_of(r->index);
	bool newer = of == WT_VHT || of == WT_HE;

	if (newer && sta && !wt_link_of(sta)->vht_cap.vht_supported)
		return wt_p.amsdu_ht_bytes[r->driver->mode];
	return wt_p.amsdu_bytes[r->driver->mode];
}

/* What stands first in the FIFO, and of what stands behind it as much as fits, as one MPDU; NULL: nothing does, or the window is shut. */
struct sk_buff *wt_amsdu_dequeue(struct wt_radio *r, struct wt_tid *tid)
{
	u32 most = tid->active && tid->amsdus ? wt_p.amsdu_msdus[r->driver->mode] : 1, limit = wt_amsdu_longest(r, tid->txq->sta), bytes, n = 1;
	struct sk_buff *first = skb_peek(&tid->fw_q), *last = first, *skb;
	u16 seq;

	if (!first)
		return NULL;
	seq = (wt_frame(first)->seq - tid->unused) & IEEE80211_SN_MASK;
	if (tid->active && in_session(first) && !wt_ba_within(tid, seq))
		return NULL;
	__skb_unlink(first, &tid->fw_q);
	wt_ba_renumber(first, seq);
	bytes = wt_subframe_len(first);
	while (n < most && in_session(first) && (skb = skb_peek(&tid->fw_q)) && in_session(skb)) {
		bytes = ALIGN(bytes, 4) + wt_subframe_len(skb);
		if (bytes > limit)
			break;
		__skb_unlink(skb, &tid->fw_q);
		wt_ba_renumber(skb, seq);
		wt_frame(last)->next = skb;
		wt_frame(last)->more = true;
		last = skb;
		tid->unused = (tid->unused + 1) & IEEE80211_SN_MASK;
		n++;
	}
	return first;
}
