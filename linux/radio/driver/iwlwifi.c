// SPDX-License-Identifier: GPL-2.0
/*
 * iwlwifi (mode 5): TCP's super-packets come through mac80211 whole and are cut here, into A-MSDUs of a descriptor (TFD) each. A TXQ is pulled from as
 * long as its own ring has room; skbs are freed in the ring's order.
 *
 * Source: drivers/net/wireless/intel/iwlwifi/mvm/mac80211.c iwl_mvm_mac_wake_tx_queue, iwl_mvm_mac_itxq_xmit; mvm/tx.c iwl_mvm_tx_skb_sta,
 *   iwl_mvm_tx_tso, iwl_mvm_tx_tso_segment, iwl_mvm_rx_ba_notif, iwl_mvm_tx_reclaim; pcie/tx-gen2.c iwl_txq_space, iwl_txq_gen2_tx; pcie/tx.c
 *   iwl_queue_init, iwl_pcie_reclaim; iwl-config.h IWL_TX_CSUM_NETIF_FLAGS.
 * Differs:
 *   D1  the firmware is taken to do as the model has it (crates/core/src/driver/offload): A-MPDUs of what the window and the limits let in, PPDUs that are
 *       sent once and formed anew, stations in turn; it looks at its rings when the softirqs of the moment are through.
 *   D2  an A-MSDU is cut into its MSDUs at once, of a super-packet's the first is charged for all; on the air it is one MPDU (frame.h wt_mpdu_len).
 *   D3  nothing waits beside a full ring: what a super-packet has too much makes the ring longer for a moment (the driver's overflow_q).
 *   D4  received frames are put in order by mac80211. Of encryption each MSDU has its own packet number.
 */
#include <linux/ip.h>
#include <linux/netdevice.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include "air/medium.h"
#include "air/rx.h"
#include "driver/fifo.h"
#include "mpdu/amsdu.h"
#include "mpdu/block_ack.h"
#include "mpdu/status.h"
#include "mpdu/tx.h"
#if !WT_BEFORE(6, 5)
#include <net/gso.h>
#endif

/* wt_frame.tfd */
enum { FURTHER, OWN_NUMBER, NEXT_NUMBER };


/* iwl_txq_space: one descriptor of 256 stays free, by which full is told from empty */
static int space(const struct wt_tid *tid)
{
	unsigned int tfds = wt_p.fifo[WT_IWL];

	return (int)(tfds == 256 ? tfds - 1 : tfds) - tid->ring_used;
}

/* iwl_queue_init: high_mark, low_mark */
static bool is_full(const struct wt_tid *tid)
{
	return space(tid) < (int)wt_p.fifo[WT_IWL] / 8;
}

static bool has_room(const struct wt_tid *tid)
{
	return space(tid) > (int)wt_p.fifo[WT_IWL] / 4;
}

/* An MPDU, with all of its MSDUs, for the ring. */
static void push(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *first, u8 number)
{
	wt_frame(first)->tfd = number;
	__skb_queue_tail(&tid->fw_q, first);
	wt_fifo_turn(r, tid);
	tid->ring_used++;
	tid->ring_stopped |= is_full(tid);
	r->count.fifo_max = max_t(u64, r->count.fifo_max, r->fifo_used);
}

/* An MSDU is the card's; false: there is no memory for its CCMP header, and it is no more. */
static bool take(struct wt_radio *r, struct sk_buff *skb)
{
	if (!wt_fifo_cipher(skb)) {
		ieee80211_free_txskb(r->hw, skb);
		return false;
	}
	wt_frame_init(skb);
	wt_frame(skb)->in_fifo = true;
	r->fifo_used++;
	return true;
}

/* Segments of an A-MSDU to this station (iwl_mvm_tx_tso: num_subframes). */
static unsigned int subframes(const struct wt_radio *r, const struct wt_tid *tid, const struct sk_buff *skb)
{
	const struct ieee80211_tx_info *info = IEEE80211_SKB_CB((struct sk_buff *)skb);
	struct ieee80211_sta *sta = tid->txq->sta;
	unsigned int mss = skb_shinfo(skb)->gso_size, len, pad;

	if (!sta || !tid->amsdus || !(info->flags & IEEE80211_TX_CTL_AMPDU))
		return 1;
	len = sizeof(struct ethhdr) + 8 + skb_network_header_len(skb) + tcp_hdrlen(skb) + mss;
	pad = (4 - len) & 3;
	return clamp((wt_amsdu_longest(r, sta) + pad) / (len + pad), 1u, wt_p.amsdu_msdus[WT_IWL]);
}

/* An skb cut by so many bytes of payload, each piece with what mac80211 has said of the whole; NULL: there is no memory, and it stays whole. */
static struct sk_buff *cut(struct sk_buff *skb, unsigned int size, netdev_features_t features)
{
	char cb[sizeof(skb->cb)];
	struct sk_buff *segs, *seg;
	bool v4 = skb->protocol == htons(ETH_P_IP);

	memcpy(cb, skb->cb, sizeof(cb));
	skb_shinfo(skb)->gso_size = size;
	skb_shinfo(skb)->gso_type = v4 ? SKB_GSO_TCPV4 : SKB_GSO_TCPV6;
	segs = skb_gso_segment(skb, features);
	memcpy(skb->cb, cb, sizeof(cb));
	if (IS_ERR(segs))
		return NULL;
	if (!segs)
		return skb;
	for (seg = segs; seg; seg = seg->next)
		memcpy(seg->cb, cb, sizeof(cb));
	consume_skb(skb);
	return segs;
}

/* An MSDU comes to those of its MPDU. */
static void follow(struct sk_buff **first, struct sk_buff **last, struct sk_buff *msdu)
{
	if (*last) {
		wt_frame(*last)->next = msdu;
		wt_frame(*last)->more = true;
	} else {
		*first = msdu;
	}
	*last = msdu;
}

static unsigned int payload(const struct sk_buff *skb)
{
	return skb->len - skb_transport_offset(skb) - tcp_hdrlen(skb);
}

/* An A-MSDU, which is one skb to its socket, as its MSDUs. */
static void push_amsdu(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb, unsigned int mss, u8 number)
{
	void (*destructor)(struct sk_buff *skb) = skb->destructor;
	struct sock *sk = skb->sk;
	unsigned int truesize = skb->truesize;
	struct sk_buff *first, *last, *msdu, *next;

	if (payload(skb) > mss) {
		skb->sk = NULL;
		skb->destructor = NULL;
		first = cut(skb, mss, 0);
		if (!first) {
			skb->sk = sk;
			skb->destructor = destructor;
			ieee80211_free_txskb(r->hw, skb);
			return;
		}
		first->sk = sk;
		first->destructor = destructor;
		first->truesize = truesize;
	} else {
		first = skb;
		skb_shinfo(skb)->gso_size = 0;
		if (skb->ip_summed == CHECKSUM_PARTIAL && skb_checksum_help(skb)) {
			ieee80211_free_txskb(r->hw, skb);
			return;
		}
	}
	for (msdu = first, first = last = NULL; msdu; msdu = next) {
		next = msdu->next;
		skb_mark_not_on_list(msdu);
		if (take(r, msdu))
			follow(&first, &last, msdu);
	}
	if (first)
		push(r, tid, first, number);
}

/* iwl_mvm_tx_tso */
static void push_super(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb)
{
	unsigned int mss = skb_shinfo(skb)->gso_size, n = subframes(r, tid, skb);
	bool v4 = skb->protocol == htons(ETH_P_IP);
	u16 id = v4 ? ntohs(ip_hdr(skb)->id) : 0;	/* each A-MSDU goes on where the one before ends, or GRO merges nothing across them */
	struct sk_buff *amsdu = skb, *next;
	u8 number = OWN_NUMBER;

	if (n * mss < payload(skb))
		amsdu = cut(skb, n * mss, NETIF_F_CSUM_MASK | NETIF_F_SG);
	if (!amsdu)
		ieee80211_free_txskb(r->hw, skb);
	for (; amsdu; amsdu = next, number = NEXT_NUMBER, id += n) {
		next = amsdu->next;
		skb_mark_not_on_list(amsdu);
		if (v4) {
			ip_hdr(amsdu)->id = htons(id);
			ip_send_check(ip_hdr(amsdu));
		}
		push_amsdu(r, tid, amsdu, mss, number);
	}
}

static void push_one(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb)
{
	if (skb->ip_summed == CHECKSUM_PARTIAL && skb_checksum_help(skb)) {
		ieee80211_free_txskb(r->hw, skb);
		return;
	}
	if (take(r, skb))
		push(r, tid, skb, OWN_NUMBER);
}

/* An MSDU of an A-MSDU that mac80211 has built, behind a header of its own, as all that are on the air here are (tx.c ieee80211_amsdu_prepare_head). */
static void head_for(struct sk_buff *skb, const void *from, unsigned int len, const struct ethhdr *eth)
{
	struct ieee80211_hdr *hdr = (void *)skb->data;

	memmove(hdr, from, len);
	*ieee80211_get_qos_ctl(hdr) &= ~IEEE80211_QOS_CTL_A_MSDU_PRESENT;
	ether_addr_copy(hdr->addr3, ieee80211_has_tods(hdr->frame_control) ? eth->h_dest : eth->h_source);
}

/* What waited in its TXQ when others came (net/mac80211/tx.c ieee80211_amsdu_aggregate): padding stands before the subframe that it is for. */
static void push_joined(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *head)
{
	struct sk_buff *first = NULL, *last = NULL, *msdu, *next = skb_shinfo(head)->frag_list;
	struct ieee80211_qos_hdr from = *(struct ieee80211_qos_hdr *)head->data;
	unsigned int len = ieee80211_hdrlen(from.frame_control), at = 0, further = 0;
	char cb[sizeof(head->cb)];
	struct ethhdr eth;

	memcpy(cb, head->cb, sizeof(cb));
	for (msdu = next; msdu; msdu = msdu->next)
		further += msdu->len;
	skb_shinfo(head)->frag_list = NULL;
	head->len -= further;
	head->data_len -= further;
	skb_pull(head, len);
	head->next = next;
	for (msdu = head; msdu; msdu = next) {
		unsigned int pad = -at & 3;

		next = msdu->next;
		skb_mark_not_on_list(msdu);
		at += msdu->len;
		skb_pull(msdu, pad);
		memcpy(&eth, msdu->data, sizeof(eth));
		skb_pull(msdu, sizeof(eth));
		if (skb_cow_head(msdu, len) || (msdu->ip_summed == CHECKSUM_PARTIAL && skb_checksum_help(msdu))) {
			dev_kfree_skb_any(msdu);
			continue;
		}
		skb_push(msdu, len);
		head_for(msdu, &from, len, &eth);
		memcpy(msdu->cb, cb, sizeof(cb));
		if (take(r, msdu))
			follow(&first, &last, msdu);
	}
	if (first)
		push(r, tid, first, OWN_NUMBER);
}

/* iwl_mvm_mac_itxq_xmit; the firmware is told where the ring ends now */
static void pull(struct wt_radio *r, struct ieee80211_txq *txq)
{
	struct wt_tid *tid = wt_tid_of(txq);
	struct sk_buff *skb;

	if (!r->started)
		return;
	rcu_read_lock();
	while (!tid->ring_stopped && (skb = ieee80211_tx_dequeue(r->hw, txq))) {
		skb_mark_not_on_list(skb);
		if (skb_is_gso(skb))
			push_super(r, tid, skb);
		else if (skb_has_frag_list(skb))
			push_joined(r, tid, skb);
		else
			push_one(r, tid, skb);
	}
	rcu_read_unlock();
	tasklet_schedule(&r->worker);
}

static void look(struct wt_radio *r)
{
	int ac;

	for (ac = 0; ac < IEEE80211_NUM_ACS; ac++)
		wt_tx_schedule(r, ac);
}

static bool in_session(struct sk_buff *skb)
{
	return IEEE80211_SKB_CB(skb)->flags & IEEE80211_TX_CTL_AMPDU &&
	       ieee80211_is_data_qos(((const struct ieee80211_hdr *)skb->data)->frame_control);
}

/* The next of the ring, numbered: of a super-packet, which mac80211 has given one number, each A-MSDU has its own. */
static struct sk_buff *dequeue(struct wt_radio *r, struct wt_tid *tid)
{
	struct sk_buff *first = skb_peek(&tid->fw_q), *msdu;
	u16 unused, seq;

	if (!first)
		return NULL;
	unused = (tid->unused - (wt_frame(first)->tfd == NEXT_NUMBER)) & IEEE80211_SN_MASK;
	seq = (wt_frame(first)->seq - unused) & IEEE80211_SN_MASK;
	if (tid->active && in_session(first) && !wt_ba_within(tid, seq))
		return NULL;
	tid->unused = unused;
	__skb_unlink(first, &tid->fw_q);
	for (msdu = first; msdu; msdu = wt_next_msdu(msdu))
		wt_ba_renumber(msdu, seq);
	if (!tid->ring_known && tid->active && in_session(first)) {
		tid->ring_front = seq;
		tid->ring_known = true;
	}
	return first;
}

static void hand_back(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb)
{
	if (wt_frame(skb)->tfd != FURTHER)
		tid->ring_used--;
	if (!wt_fifo_settled(r, skb))
		wt_status_hand_back(skb);
}

/* What is over up to the first that is not, or all of it. */
static void reclaim(struct wt_radio *r, struct wt_tid *tid, bool all)
{
	struct sk_buff *skb;

	while ((skb = skb_peek(&tid->ring_over))) {
		u16 seq = wt_frame(skb)->seq;

		if (!all && seq != tid->ring_front)
			return;
		do {
			__skb_unlink(skb, &tid->ring_over);
			hand_back(r, tid, skb);
			skb = skb_peek(&tid->ring_over);
		} while (skb && wt_frame(skb)->seq == seq);
		tid->ring_front = (seq + 1) & IEEE80211_SN_MASK;
	}
}

/* A frame is over for the air: it leaves the ring when all before it have. */
static bool settled(struct wt_radio *r, struct sk_buff *skb)
{
	struct ieee80211_hdr *hdr = (void *)skb->data;
	struct ieee80211_txq *txq = NULL;
	struct ieee80211_sta *sta;
	struct wt_tid *tid;
	struct sk_buff *before;

	rcu_read_lock();
	sta = ieee80211_find_sta_by_ifaddr(r->hw, hdr->addr1, hdr->addr2);
	if (sta && ieee80211_is_data_qos(hdr->frame_control))
		txq = sta->txq[ieee80211_get_tid(hdr)];
	else if (r->vif)
		txq = r->vif->txq;
	if (!txq) {
		rcu_read_unlock();
		return wt_fifo_settled(r, skb);
	}
	tid = wt_tid_of(txq);
	if (tid->active && tid->ring_known && in_session(skb)) {
		skb_queue_reverse_walk(&tid->ring_over, before)
			if (!ieee80211_sn_less(wt_frame(skb)->seq, wt_frame(before)->seq))
				break;
		__skb_queue_after(&tid->ring_over, before, skb);
	} else {
		hand_back(r, tid, skb);
	}
	rcu_read_unlock();
	return true;
}

/* iwl_mvm_rx_ba_notif, iwl_pcie_reclaim: the TXQ is pulled from before the skbs are freed */
static void again(struct wt_radio *r, struct wt_tid *tid, struct sk_buff_head *failed, unsigned int len)
{
	wt_fifo_again(r, tid, failed, len);
	reclaim(r, tid, !tid->active);
	if (tid->ring_stopped && has_room(tid)) {
		tid->ring_stopped = false;
		pull(r, tid->txq);
	}
}

static void session_over(struct wt_radio *r, struct wt_tid *tid)
{
	reclaim(r, tid, true);
	tid->ring_known = false;
}

static void flush(struct wt_radio *r, struct wt_tid *tid)
{
	if (!tid)
		return;
	session_over(r, tid);
	tid->ring_used = 0;
	tid->ring_stopped = false;
}

const struct wt_driver wt_iwlwifi = {
	.mode = WT_IWL,
	.rx_ring = 2048,
	.max_frames = &wt_p.fifo_frames[WT_IWL],
	.short_retries = 7,	/* the standard's: what the firmware sets is not public */
	.sent_once = true,
	.one_depth = true,
	.whole_ppdus = true,
	.in_order = true,
	.amsdus = true,		/* mvm/mac80211.c: SUPPORTS_AMSDU_IN_AMPDU */
	.napi = true,		/* mvm/rxmq.c iwl_mvm_pass_packet_to_mac80211 */
	.chooses_rates = true,	/* mvm/mac80211.c: HAS_RATE_CONTROL */
	.cuts = true,
	.makes_ccmp = true,	/* mvm/mac80211.c __iwl_mvm_mac_set_key: no IEEE80211_KEY_FLAG_PUT_IV_SPACE of cards with the new transmit API */
	.wake = pull,
	.work = look,
	.dequeue = dequeue,
	.formed = wt_medium_offer,
	.ask = wt_fifo_ask,
	.again = again,
	.settled = settled,
	.session_over = session_over,
	.flush = flush,
	.due = wt_fifo_due,
	.step = wt_fifo_report,
	.purge = wt_fifo_purge,
	.schedule = wt_fifo_feed,
	.done = wt_fifo_done,
	.came = wt_rx_arrived,
};
