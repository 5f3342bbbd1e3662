// SPDX-License-Identifier: GPL-2.0
/*
 * rx: copies what arrived to whom it was sent, with the receive status a card would give.
 *
 * Source: include/net/mac80211.h, struct ieee80211_rx_status; drivers/net/wireless/virtual/mac80211_hwsim.c
 *   mac80211_hwsim_tx_frame_no_nl for what a software receiver owes mac80211.
 * What ath9k hears of a station counts against that station's airtime: ath9k/recv.c ath_rx_count_airtime, which takes each
 *   MPDU for a PPDU of its own (preamble included) and charges best effort, since skb->priority is not yet set.
 * ath9k's receive interrupt is mitigated where rimt_last_us says so: ath9k/hw.c ath9k_hw_init_config (500 us after the last
 *   frame, 2 ms after the first, for AR9300 and later), ath9k_hw_reset (AR_RIMT). Each MPDU counts when its last bit is there, so that it is
 *   not quiet while a PPDU comes in. An interrupt for a unit or a beacon that was sent, and the one that asks for a beacon (SWBA), bring
 *   received frames along, since the driver reads AR_ISR_LP_RXOK from the status register whatever the mask, as we take it (ar9003_mac.c
 *   ar9003_hw_get_isr, main.c ath_isr, ath9k_tasklet). Beacons that come count as frames.
 * Duplicates, reordering and the Block Ack session's release timer are left to mac80211.
 * Differs:
 *   D1  a unicast frame goes to its receiver only; nobody overhears (no monitor).
 *   D2  signal strength is one constant where no channel is given (channel.c), else its SNR above a noise of -95 dBm, no antenna's.
 *   D3  frames are copied, so the receiver never shares the sender's memory: freeing one does not wake the other's TSQ. A copy
 *       is as large as what it holds (truesize 4352 for a full frame), a card's receive buffer as large as what might come.
 *   D4  MPDUs that a receive interrupt in the midst of their PPDU tells of reach the host at the PPDU's end.
 */
#include "air/channel.h"
#include "air/csi.h"
#include "air/host.h"
#include "air/napi.h"
#include "air/phy.h"
#include "air/reorder.h"
#include "air/rx.h"
#include "driver.h"
#include "rider.h"

#define NOISE_DBM	(-95)	/* of a 40 MHz channel: what an SNR is told of as a signal */
#define SWBA_NS		(6 * 1024000)	/* before a beacon is due: ath9k/hw.c sw_beacon_response_time, ath9k_hw_beaconinit */
#define SIGNAL_DBM	(-40)	/* where no channel says otherwise */

const struct wt_watcher *wt_watcher;

/* How strong what `from` sends at a time arrives, dBm: the mean of the halves' SNRs over the noise. False where no channel says so. */
static bool snr_signal(const struct wt_radio *from, const struct wt_radio *to, u64 at, s16 *ctl, s16 *ext, s8 *signal)
{
	*signal = SIGNAL_DBM;
	if (!from || !wt_channel_snr(from, to, at, ctl, ext))
		return false;
	*signal = clamp(NOISE_DBM + (*ctl + *ext) / 200, S8_MIN, S8_MAX);
	return true;
}

s8 wt_rx_signal(const struct wt_radio *from, const struct wt_radio *to, u64 at)
{
	s16 ctl, ext;
	s8 signal;

	snr_signal(from, to, at, &ctl, &ext, &signal);
	return signal;
}

/*
 * A card receives into buffers of one size, whatever the sender's skb was (ath9k/recv.c ath_rx_init, ath_rxbuf_alloc): what TCP's receiver
 * charges for a segment, and how far its window opens, must not depend on how the sender's stack allocated it.
 */
static struct sk_buff *received(const struct sk_buff *skb)
{
	int room = WT_RX_ROOM - (int)skb_headroom(skb) - (int)skb->len;

	return skb_copy_expand(skb, skb_headroom(skb), max(room, 0), GFP_ATOMIC);
}

/* A card hands each MSDU of an A-MSDU up as a frame of its own (ath10k/htt_rx.c ath10k_htt_rx_h_mpdu, mt76/mac80211.c mt76_rx_release_amsdu). */
static void copy_msdu(struct wt_radio *to, struct wt_radio *from, struct wt_ppdu *p, struct sk_buff *msdu, bool last, u64 ended, s8 signal)
{
	const struct ieee80211_tx_rate *rate = &p->rates[p->chain];
	struct sk_buff *skb = received(msdu);
	struct ieee80211_rx_status *rx;

	if (!skb)
		return;
	skb_orphan(skb);
	skb_clear_hash(skb);	/* the sender's socket's, which stays on its host; who needs one takes that of the headers */
	skb->dev = NULL;
	if (p->attempts > 1)	/* by it mac80211 knows a frame that it has, whose answer was lost (ieee80211_rx_h_check_dup) */
		((struct ieee80211_hdr *)skb->data)->frame_control |= cpu_to_le16(IEEE80211_FCTL_RETRY);
	rx = IEEE80211_SKB_RXCB(skb);
	memset(rx, 0, sizeof(*rx));
	rx->freq = from->freq;
	rx->band = wt_band(from);
	rx->signal = signal;
	rx->rate_idx = max_t(int, rate->idx, 0);
	if (!wt_phy_aggregates(rate) && wt_phy_rate(rx->band, rate) & WT_SHORT_PREAMBLE)
		rx->enc_flags |= RX_ENC_FLAG_SHORTPRE;
	if (wt_phy_aggregates(rate)) {
		struct rate_info info = wt_phy_rate_info(rate);

		rx->encoding = info.flags & RATE_INFO_FLAGS_HE_MCS ? RX_ENC_HE : info.flags & RATE_INFO_FLAGS_VHT_MCS ? RX_ENC_VHT : RX_ENC_HT;
		rx->rate_idx = info.mcs;
		rx->nss = info.nss;
		rx->bw = info.bw;
		rx->he_gi = info.he_gi;
		if (info.flags & RATE_INFO_FLAGS_SHORT_GI)
			rx->enc_flags |= RX_ENC_FLAG_SHORT_GI;
	}
	if (wt_next_msdu(msdu))
		rx->flag |= RX_FLAG_AMSDU_MORE;
	if (p->aggr)	/* ath9k/recv.c ath_rx_tasklet: the end that the host sees is that of what arrived */
		rx->flag |= RX_FLAG_AMPDU_DETAILS | RX_FLAG_AMPDU_LAST_KNOWN | (last ? RX_FLAG_AMPDU_IS_LAST : 0);
	if (wt_protected(skb))	/* ath9k/recv.c: the card has deciphered it, and this copy never had a MIC */
		rx->flag |= RX_FLAG_DECRYPTED | RX_FLAG_MIC_STRIPPED;
	rx->ampdu_reference = from->count.ppdus;
	to->count.rx_mpdus += !wt_next_msdu(msdu);
	to->count.rx_bytes += skb->len;
	to->driver->came(to, skb, ended);
}

static void copy_to(struct wt_radio *to, struct wt_radio *from, struct wt_ppdu *p, int i, bool last, u64 ended, s8 signal)
{
	struct sk_buff *msdu;

	for (msdu = p->mpdu[i]; msdu; msdu = wt_next_msdu(msdu))
		copy_msdu(to, from, p, msdu, last && !wt_next_msdu(msdu), ended, signal);
}

/* Where the hardware counts what it hears of a station, a PPDU. */
static void count_ppdu(struct wt_radio *to, struct wt_radio *from, const struct wt_ppdu *p, u64 ns)
{
	struct ieee80211_sta *sta;

	if (!to->driver->rx_ppdu_airtime || !p->tid)
		return;
	rcu_read_lock();
	sta = ieee80211_find_sta_by_ifaddr(to->hw, from->vif ? from->vif->addr : NULL, NULL);
	if (sta)
		ieee80211_sta_register_airtime(sta, p->tid->txq->tid, 0, div_u64(ns, 1000));
	rcu_read_unlock();
}

/* A frame is with the card, which tells the host at once. */
void wt_rx_arrived(struct wt_radio *to, struct sk_buff *skb, u64 ended)
{
	wt_rx_host(to, skb);
}

/* Where a card's receive interrupt is mitigated. */
void wt_rx_mitigated(struct wt_radio *to, struct sk_buff *skb, u64 ended)
{
	if (!wt_p.rimt_last_us) {
		wt_rx_host(to, skb);
		return;
	}
	if (ended <= to->told && skb_queue_empty(&to->held_q)) {
		wt_rx_host(to, skb);
		return;
	}
	if (skb_queue_empty(&to->held_q))
		to->held_first = ended;
	to->held_last = ended;
	__skb_queue_tail(&to->held_q, skb);
}

/* AR_RIMT: quiet for a while, or the first has waited long enough; or the access point's hardware asks for its next beacon */
static u64 interrupt_at(const struct wt_radio *r)
{
	u64 quiet = r->held_last + wt_p.rimt_last_us * 1000ull;
	u64 swba = r->tbtt ? r->tbtt - SWBA_NS : U64_MAX;

	if (r->lands_first <= quiet)
		quiet = max(quiet, r->lands_until + 1);		/* what lands then counts */
	return min3(r->held_first + wt_p.rimt_first_us * 1000ull, quiet, swba >= r->held_first ? swba : U64_MAX);
}

/* A PPDU whose decoded MPDUs are known is on the air until `until`. */
void wt_rx_lands(struct wt_radio *from, const struct wt_ppdu *p, u64 until)
{
	struct wt_radio *to = wt_receiver(from, wt_ppdu_to(p));
	u64 ns = wt_phy_ppdu_ns(wt_band(from), &p->rates[p->chain], p->bytes);

	if (!to || !wt_ppdu_acked(p))
		return;
	to->lands_first = until - div_u64(ns * (p->n - 1 - find_first_bit(p->acked, WT_MAX_MPDUS)), p->n);
	to->lands_until = until;
}

void wt_rx_interrupt(struct wt_radio *r)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(&r->held_q)))
		wt_rx_host(r, skb);
}

/* A frame is the host's. */
void wt_rx_host(struct wt_radio *to, struct sk_buff *skb)
{
	__skb_queue_tail(&to->rx_ready, skb);
}

/* The PPDU ends, whose exchange began at `since`. */
void wt_rx_deliver(struct wt_radio *from, struct wt_ppdu *p, u64 since)
{
	const u8 *addr = wt_ppdu_to(p);
	struct wt_radio *to;
	unsigned int j;
	int i, last;

	if (!is_multicast_ether_addr(addr)) {
		u64 ns = wt_phy_ppdu_ns(wt_band(from), &p->rates[p->chain], p->bytes);
		s8 signal = SIGNAL_DBM;
		s16 ctl, ext;

		to = wt_receiver(from, addr);
		last = find_last_bit(p->acked, WT_MAX_MPDUS);
		if (to && wt_ppdu_acked(p) && snr_signal(from, to, since, &ctl, &ext, &signal))
			wt_csi_report(to, from, p, since, ctl, ext);
		if (to && wt_ppdu_acked(p))
			count_ppdu(to, from, p, ns);
		for (i = 0; to && i < p->n; i++)
			if (test_bit(i, p->acked)) {
				copy_to(to, from, p, i, i == last, wt_now - div_u64(ns * (p->n - 1 - i), p->n), signal);
				if (wt_rider && wt_is_ap(to))
					wt_rider->came(from, p->mpdu[i]);
			}
		return;
	}
	for (j = 0; j < wt_n_radios; j++)
		if (wt_hears(wt_radios[j], from))
			copy_to(wt_radios[j], from, p, 0, true, wt_now, SIGNAL_DBM);
}

/* When something happens next, U64_MAX: nothing does. */
u64 wt_rx_due(const struct wt_radio *r)
{
	u64 at = r->rx_at ?: U64_MAX;

	return skb_queue_empty(&r->held_q) ? at : min(at, interrupt_at(r));
}

void wt_rx_step(struct wt_radio *r, u64 now)
{
	if (!skb_queue_empty(&r->held_q) && interrupt_at(r) <= now) {
		if (now < r->lands_until)
			r->told = now;
		wt_rx_interrupt(r);
	} else {
		wt_host_step(r, now);
	}
}

/* ath_rx_count_airtime, ath_pkt_duration (whole microseconds) */
static void count_airtime(struct wt_radio *r, struct sk_buff *skb)
{
	struct ieee80211_rx_status *rx = IEEE80211_SKB_RXCB(skb);
	struct ieee80211_hdr *hdr = (void *)skb->data;
	struct ieee80211_tx_rate rate = { .idx = rx->rate_idx };
	struct ieee80211_sta *sta;

	if (!r->driver->rx_airtime || !ieee80211_is_data(hdr->frame_control))
		return;
	if (rx->enc_flags & RX_ENC_FLAG_SHORTPRE)
		rate.flags = IEEE80211_TX_RC_USE_SHORT_PREAMBLE;
	if (rx->encoding == RX_ENC_HT)
		rate.flags = IEEE80211_TX_RC_MCS | (rx->bw == RATE_INFO_BW_40 ? IEEE80211_TX_RC_40_MHZ_WIDTH : 0) |
			     (rx->enc_flags & RX_ENC_FLAG_SHORT_GI ? IEEE80211_TX_RC_SHORT_GI : 0);
	rcu_read_lock();
	sta = ieee80211_find_sta_by_ifaddr(r->hw, hdr->addr2, NULL);
	if (sta)
		ieee80211_sta_register_airtime(sta, 0, 0, div_u64(wt_phy_counted_ns(rx->band, &rate, wt_frame_len(skb)), 1000));
	rcu_read_unlock();
}

/* What TCP/HACK's AP restored: a packet of the interface, which no frame of 802.11 brought. */
static void hand_up_packet(struct wt_radio *r, struct sk_buff *skb)
{
	struct net_device *dev;

	rcu_read_lock();
	dev = wt_netdev_of(r);
	if (dev) {
		skb->protocol = eth_type_trans(skb, dev);
		memset(skb->cb, 0, sizeof(skb->cb));
		if (wt_rider)
			wt_rider->went_up(skb);
		netif_receive_skb(skb);
	} else {
		kfree_skb(skb);
	}
	rcu_read_unlock();
}

/* mac80211 is done with a frame, or with all of a poll, whose last one of data it is. */
static void gone_up(struct wt_radio *r, bool paced, struct wt_rx_frame *frame)
{
	wt_napi_end(r);
	r->coming = NULL;
	r->rx_due = 0;
	if (paced)
		wt_host_over(r, frame);
	else if (wt_watcher)
		wt_watcher->end(r, frame);
	*frame = (struct wt_rx_frame) {};
}

/* Outside the lock: mac80211 may answer at once. */
void wt_rx_flush(void)
{
	struct sk_buff_head q;
	struct sk_buff *skb;
	unsigned int i;

	for (i = 0; i < wt_n_radios; i++) {
		struct wt_radio *r = wt_radios[i];
		bool paced = wt_host_takes_time(r), full;
		struct wt_rx_frame last = {};

		wt_host_flush(r);
		__skb_queue_head_init(&q);
		spin_lock_bh(&wt_lock);
		skb_queue_splice_init(&r->rx_ready, &q);
		wt_host_judge(r);
		spin_unlock_bh(&wt_lock);
		while ((skb = __skb_dequeue(&q))) {
			struct wt_rx_frame frame = {};

			r->polled = true;
			if (IEEE80211_SKB_RXCB(skb)->flag & RX_FLAG_8023) {
				if (r->napi)
					gone_up(r, paced, &last);
				r->coming = &frame;
				r->rx_due = 1;
				hand_up_packet(r, skb);
				r->coming = NULL;
				r->rx_due = 0;
				continue;
			}
			count_airtime(r, skb);
			if (wt_watcher)
				wt_watcher->look(r, skb, &frame);
			if (wt_watcher && !paced)
				wt_watcher->begin(r, &frame);
			if (!r->napi || frame.data)
				last = frame;
			r->coming = &last;
			r->rx_due += wt_lets_go(r, skb);
			ieee80211_rx_napi(r->hw, NULL, skb, wt_napi_frame(r, &full));
			if (!r->napi || full || skb_queue_empty(&q))
				gone_up(r, paced, &last);
		}
	}
}

void wt_rx_init(struct wt_radio *r)
{
	__skb_queue_head_init(&r->held_q);
	wt_host_init(r);
	__skb_queue_head_init(&r->rx_ready);
}

void wt_rx_purge(struct wt_radio *r)
{
	__skb_queue_purge(&r->held_q);
	wt_host_purge(r);
	__skb_queue_purge(&r->rx_ready);
}
