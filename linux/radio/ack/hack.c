// SPDX-License-Identifier: GPL-2.0
/*
 * hack: TCP/HACK: a station's TCP ACKs ride, compressed, on its link-layer ACKs and Block Acks.
 *
 *     station   TCP ACK --(POST_ROUTING)--> held? --compress--> chain --------------> response to the AP's next frame: opaque octets
 *                             '- no: down, as ever;  back: what no frame came for     '-> kept until the AP says that it heard them
 *     AP        octets --restore--> received frames --> up the stack;  each frame says: heard; repair; more data
 *
 * What becomes of an ACK is decided by crates/hack and crates/rohc: the very machines and the very codec that the model runs, and whose
 * short histories are searched there, linked in as an object (hack/src/lib.rs). This file is what stands between them and a card.
 *
 * Source: the thesis's chapter 3; docs/mechanisms/hack.md; crates/core/src/net/bss/hack.rs, which does the same for the model.
 * Where it hooks: ACKs are taken (hack_stack.c) at netfilter's POST_ROUTING, above the qdisc and before mac80211 gives a sequence
 *   number, so that a held ACK leaves no hole (as tao.c). Natively sent ACKs are followed at the card: when they are acknowledged
 *   there, and when they reach the AP's. TCP, IP and mac80211 are not changed.
 * Locking: everything here under wt_lock; what goes back to the stack is put on a list and sent after unlocking.
 * Differs:
 *   D1  no card has such a MAC. The three bits that the AP tells (heard, repair, more data) go beside its frame, not in an 802.11
 *       header: 802.11's own More Data bit would do for the last, the first two have no place there.
 *   D2  they are as of when the frame goes on the air, though a driver writes them when it hands the frame over (model: D2).
 *   D3  "more" is what the card, its driver and mac80211's TXQs hold for the station; a qdisc above does not say whose it has (D3).
 *   D4  both drivers take no time beside hack_load_ns (D4); what the AP restores goes up with its received frames (D5).
 *   D5  a flush is a frame of EtherType 88B5 (IEEE 802, local experiments); its chain is filled in by the card as it goes, so that it
 *       holds what is unconfirmed then.
 *   D6  a native ACK that comes a second time, since the answer to it was lost, is remembered a second time.
 *   D7  IPv4 only; uploads' ACKs (those of the AP's side) go as ever (D1).
 *   D8  opportunistic: frames that wait in the card are given back and ride, within SIFS (driver/seize.c; the model's
 *       driver/ath9k/seize.rs D1).
 *   D9  the AP's side of a station is kept with the station's radio; both begin anew with its interface.
 */
#include <linux/ip.h>
#include <linux/tcp.h>
#include "ack/hack.h"
#include "ack/hack_core.h"
#include "air/phy.h"
#include "air/trace.h"
#include "driver.h"
#include "mpdu/tx.h"
#include "rider.h"

/* ---- frames ---- */

/* The IPv4 header of a data frame of 802.11, if it is a pure TCP ACK: its length, 0 if not. */
static u32 pure_ack(struct sk_buff *skb, u8 *out)
{
	struct ieee80211_hdr *hdr = (void *)skb->data;
	const struct tcphdr *th = (void *)(out + sizeof(struct iphdr));
	unsigned int at = wt_header_len(skb);
	const struct iphdr *ip = (void *)out;
	u32 n;

	if (!ieee80211_is_data_present(hdr->frame_control) || skb->len < at + 8 + sizeof(*ip) + sizeof(*th))
		return 0;
	n = skb->len - at - 8;
	if (n > WT_HACK_HEADER || get_unaligned_be16(skb->data + at + 6) != ETH_P_IP || skb_copy_bits(skb, at + 8, out, n))
		return 0;
	if (ip->ihl != 5 || ip->protocol != IPPROTO_TCP || sizeof(*ip) + th->doff * 4 != n)
		return 0;
	return th->ack && !th->syn && !th->fin && !th->rst ? n : 0;
}

/* Whether it is a flush, and up to where. */
static bool is_flush(struct sk_buff *skb, u32 *end)
{
	struct ieee80211_hdr *hdr = (void *)skb->data;
	unsigned int at = wt_header_len(skb);

	if (!ieee80211_is_data_present(hdr->frame_control) || skb_headlen(skb) < at + 12 ||
	    get_unaligned_be16(skb->data + at + 6) != WT_HACK_FLUSH)
		return false;
	*end = get_unaligned_be32(skb->data + at + 8);
	return true;
}

/* The station's hardware is done with one of its frames. Under the lock. */
static void settled(struct wt_radio *r, struct sk_buff *skb, bool acked)
{
	u8 header[WT_HACK_HEADER] __aligned(4);
	u32 end, n;

	if (!wt_hack_station(r))
		return;
	if (is_flush(skb, &end)) {
		wt_hack_flushed(r->hack->pair, end, acked);
		wt_hack_look(r);
		return;
	}
	n = pure_ack(skb, header);
	if (!n)
		return;
	if (acked) {
		r->hack->native++;
		r->hack->native_bytes += n;
	}
	wt_hack_ended(r->hack->pair, header, n, acked);
}

/* A frame of the station reached the AP. */
static void came(struct wt_radio *r, struct sk_buff *skb)
{
	u8 header[WT_HACK_HEADER] __aligned(4);
	u32 end, n;

	if (!wt_hack_station(r))
		return;
	if (is_flush(skb, &end)) {
		wt_hack_flush_came(r->hack->pair, end);
		return;
	}
	n = pure_ack(skb, header);
	if (n) {
		wt_trace_ack(r, WT_ACK_CAME, header, n);
		wt_hack_native(r->hack->pair, header, n);
	}
}

/* ---- an exchange ---- */

/* Whether more waits for a station, beside the head of queue q. */
static bool more_for(struct wt_radio *ap, const u8 *addr, int q)
{
	struct ieee80211_sta *sta;
	unsigned long frames;
	struct wt_ppdu *p;
	bool more = false;
	int i, k;

	rcu_read_lock();
	sta = ieee80211_find_sta(ap->vif, addr);
	for (i = 0; sta && i < ARRAY_SIZE(sta->txq) && !more; i++) {
		struct wt_tid *tid;

		if (!sta->txq[i])
			continue;
		tid = wt_tid_of(sta->txq[i]);
		ieee80211_txq_get_depth(sta->txq[i], &frames, NULL);
		more = frames || (!ap->driver->blind && (!skb_queue_empty(&tid->retry_q) || !skb_queue_empty(&tid->fw_q)));
	}
	rcu_read_unlock();
	for (k = 0; k < IEEE80211_NUM_ACS && !ap->driver->blind && !more; k++)
		list_for_each_entry(p, &ap->ac[k].hwq, list)
			if ((k != q || !list_is_first(&p->list, &ap->ac[k].hwq)) && p->tid && !p->no_ack &&
			    ether_addr_equal(wt_ppdu_to(p), addr)) {
				more = true;
				break;
			}
	return more;
}

/* The head of a queue goes on the air: what the AP's says of itself. The station, if something may ride on its answer. */
static struct wt_radio *head(struct wt_radio *r, int q, const struct wt_ppdu *p)
{
	const u8 *addr = wt_ppdu_to(p);
	struct wt_radio *to;

	if (!wt_hack_rides() || !wt_is_ap(r) || p->no_ack || !(p->tid || p->back_req))
		return NULL;
	to = wt_receiver(r, addr);
	if (!to || !wt_hack_station(to))
		return NULL;
	wt_hack_sends(to->hack->pair, more_for(r, addr, q));
	return to;
}

/* A frame that waits in the station's card or above it. True: it was a pure ACK, and rides. */
static bool takes(struct wt_radio *r, struct sk_buff *skb)
{
	u8 header[WT_HACK_HEADER] __aligned(4);
	struct net_device *dev = wt_netdev_of(r);
	u32 n = pure_ack(skb, header);
	struct sk_buff *own;

	if (!n)
		return false;
	/* the frame goes back to mac80211; this stays in the chain */
	own = dev ? alloc_skb(LL_RESERVED_SPACE(dev) + n, GFP_ATOMIC) : NULL;
	if (!own)
		return false;
	skb_reserve(own, LL_RESERVED_SPACE(dev));
	own->dev = dev;
	own->protocol = htons(ETH_P_IP);
	own->priority = skb->priority;
	skb_reset_network_header(own);
	skb_put_data(own, header, n);
	if (wt_hack_seize(r->hack->pair, wt_now, own, header, n))
		return true;
	kfree_skb(own);
	return false;
}

static bool pure(struct sk_buff *skb)
{
	u8 header[WT_HACK_HEADER] __aligned(4);

	return pure_ack(skb, header);
}

static const struct wt_picker picker = { .wants = pure, .takes = takes };

/* A station answers the AP's frame now. By how much its answer, at `rate`, is longer than the plain one of `plain` octets. */
static u64 answer(struct wt_radio *r, u32 rate, u32 plain, bool repeats)
{
	u64 longer;
	u32 n;

	if (wt_p.hack == WT_HACK_OPPORTUNISTIC && r->driver->seize)
		r->driver->seize(r, &picker);
	n = wt_hack_answers(r->hack->pair, wt_now, repeats);
	wt_hack_look(r);
	if (n)
		wt_trace_ack(r, WT_ACK_RODE, NULL, n);
	longer = wt_phy_control_ns(rate, plain + n) - wt_phy_control_ns(rate, plain);
	r->hack->riding_ns += longer;
	if (longer > wt_phy_gap_ns(wt_band(r), rate) + 2 * wt_phy_slot_ns(r))	/* beyond the data's NAV and DIFS */
		r->hack->beyond_difs++;
	return longer;
}

/* The AP heard it. */
static void heard(struct wt_radio *r)
{
	if (!wt_hack_station(r))
		return;
	wt_trace_ack(r, WT_ACK_HEARD, NULL, 0);
	wt_hack_answered(r->hack->pair);
}

/* ---- time ---- */

static u64 due(const struct wt_radio *r)
{
	return r->hack->deadline;
}

/* Nothing came for too long. */
static void step(struct wt_radio *r, u64 now)
{
	struct wt_hack_flush flush;

	if (wt_hack_timer(r->hack->pair, now, &flush) && wt_hack_station(r))
		wt_hack_stack_queue_flush(r, &flush);
	wt_hack_look(r);
}

/* ---- coming and going ---- */

int wt_hack_init(struct wt_radio *r)
{
	if (!wt_hack_on())
		return 0;
	r->hack = kzalloc(sizeof(*r->hack), GFP_KERNEL);
	if (!r->hack)
		return -ENOMEM;
	__skb_queue_head_init(&r->hack->back);
	__skb_queue_head_init(&r->hack->done);
	r->hack->deadline = U64_MAX;
	return 0;
}

/* The interface comes. */
void wt_hack_start(struct wt_radio *r)
{
	const struct wt_hack_rules rules = {
		.rides = wt_hack_rides(),
		.waits = wt_p.hack == WT_HACK_TIMER ? 1 : wt_p.hack == WT_HACK_MORE_DATA ? 2 : 0,
		.bytes = wt_p.hack_bytes,
		.timer = wt_p.hack_timer_us * 1000ull,
		.guard = wt_p.hack_guard_us * 1000ull,
		.load = wt_p.hack_load_ns,
	};

	if (!r->hack || !wt_is_station(r))
		return;
	r->hack->pair = wt_hack_pair_new(r, &rules);
}

/* It goes. */
void wt_hack_stop(struct wt_radio *r)
{
	struct sk_buff_head all;

	if (!r->hack)
		return;
	__skb_queue_head_init(&all);
	spin_lock_bh(&wt_lock);
	if (r->hack->pair)
		wt_hack_pair_free(r->hack->pair);
	r->hack->pair = NULL;
	r->hack->deadline = U64_MAX;
	skb_queue_splice_init(&r->hack->back, &all);
	skb_queue_splice_init(&r->hack->done, &all);
	spin_unlock_bh(&wt_lock);
	__skb_queue_purge(&all);
}

void wt_hack_exit(struct wt_radio *r)
{
	wt_hack_stop(r);
	kfree(r->hack);
}

/* debug.c: what it came to, `name value` a line. */
void wt_hack_show(struct seq_file *f, struct wt_radio *r)
{
	const struct wt_hack *h = r->hack;
	struct wt_hack_seen seen;
	bool there;

	if (!h)
		return;
	spin_lock_bh(&wt_lock);
	there = h->pair;
	if (there)
		wt_hack_seen(h->pair, &seen);
	spin_unlock_bh(&wt_lock);
	if (!there)
		return;
#define ACKS(_x) seq_printf(f, "acks_" #_x " %llu\n", seen._x)
	ACKS(made); ACKS(compressed); ACKS(compressed_bytes); ACKS(riding_bytes); ACKS(responses); ACKS(failures);
	ACKS(not_ready); ACKS(repairs); ACKS(flushes); ACKS(restored); ACKS(refused);
	seq_printf(f, "acks_native %llu\nacks_native_bytes %llu\nacks_riding_ns %llu\nacks_beyond_difs %llu\n",
		   h->native, h->native_bytes, h->riding_ns, h->beyond_difs);
}

/* debug.c: the AP forgets what it knows of a station's flows */
void wt_hack_amnesia(unsigned int radio)
{
	spin_lock_bh(&wt_lock);
	if (radio < wt_n_radios && wt_radios[radio]->hack && wt_radios[radio]->hack->pair)
		wt_hack_forget(wt_radios[radio]->hack->pair);
	spin_unlock_bh(&wt_lock);
}

static const struct wt_rider rider = {
	.head = head,
	.answer = answer,
	.heard = heard,
	.came = came,
	.settled = settled,
	.due = due,
	.step = step,
	.went_up = wt_hack_stack_went_up,
	.flush = wt_hack_stack_flush,
};

int wt_hack_hook(void)
{
	if (!wt_hack_on())
		return 0;
	wt_rider = &rider;
	return wt_hack_stack_hook();
}

void wt_hack_unhook(void)
{
	if (wt_hack_on())
		wt_hack_stack_unhook();
}
