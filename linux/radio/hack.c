// SPDX-License-Identifier: GPL-2.0
/*
 * hack: TCP/HACK: a station's TCP ACKs ride, compressed, on its link-layer ACKs and Block Acks.
 *
 *     station   TCP ACK --(POST_ROUTING)--> held? --compress--> chain --------------> response to the AP's next frame: opaque octets
 *                             '- no: down, as ever;  back: what no frame came for     '-> kept until the AP says that it heard them
 *     AP        octets --restore--> received frames --> up the stack;  each frame says: heard; repair; more data
 *
 * What becomes of an ACK is decided by crates/hack and crates/rohc: the very machines and the very codec that the model runs, and whose
 * short histories are searched there, linked in as an object (hack/src/lib.rs). This file is what stands between them and Linux.
 *
 * Source: the thesis's chapter 3; docs/mechanisms/hack.md; crates/core/src/net/bss/hack.rs, which does the same for the model.
 * Where it hooks: ACKs are taken at netfilter's POST_ROUTING, above the qdisc and before mac80211 gives a sequence number, so that a
 *   held ACK leaves no hole (as tao.c). Natively sent ACKs are followed at the card: when they are acknowledged there, and when they
 *   reach the AP's. TCP, IP and mac80211 are not changed.
 * Locking: everything here under wt_air.lock; what goes back to the stack is put on a list and sent after unlocking.
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
 *   D8  opportunistic: frames that wait in the card are given back and ride, within SIFS (seize.c; the model's driver/ath9k/seize.rs D1).
 *   D9  the AP's side of a station is kept with the station's radio; both begin anew with its interface.
 */
#include <linux/ip.h>
#include <linux/netfilter_ipv4.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/net_namespace.h>
#include "radio.h"

#define FLUSH		0x88b5	/* ETH_P_802_EX1 */
#define HEADER		80	/* IPv4 20, TCP 60 */

/* ---- what the machines are given (hack/src/lib.rs) ---- */

struct wt_hack_rules {
	bool rides;
	u8 waits;
	u16 bytes;
	u64 timer, guard, load;
};

struct wt_hack_flush {
	u32 end, bytes;
};

struct wt_hack_pair *wt_hack_pair_new(struct wt_radio *owner, const struct wt_hack_rules *rules);
void wt_hack_pair_free(struct wt_hack_pair *p);
bool wt_hack_sent(struct wt_hack_pair *p, u64 now, struct sk_buff *skb, const u8 *header, u32 len);
void wt_hack_sends(struct wt_hack_pair *p, bool more_data);
u32 wt_hack_answers(struct wt_hack_pair *p, u64 now, bool repeats);
void wt_hack_answered(struct wt_hack_pair *p);
u64 wt_hack_deadline(const struct wt_hack_pair *p);
bool wt_hack_timer(struct wt_hack_pair *p, u64 now, struct wt_hack_flush *flush);
void wt_hack_native(struct wt_hack_pair *p, const u8 *header, u32 len);
void wt_hack_flush_came(struct wt_hack_pair *p, u32 end);
void wt_hack_ended(struct wt_hack_pair *p, const u8 *header, u32 len, bool arrived);
void wt_hack_flushed(struct wt_hack_pair *p, u32 end, bool arrived);
bool wt_hack_seize(struct wt_hack_pair *p, u64 now, struct sk_buff *skb, const u8 *header, u32 len);
void wt_hack_forget(struct wt_hack_pair *p);
void wt_hack_seen(const struct wt_hack_pair *p, struct wt_hack_seen *out);

/* ---- what they ask for ---- */

void *wt_hack_alloc(size_t bytes);
void wt_hack_free(void *at);
void __noreturn wt_hack_panic(const char *file, size_t len, u32 line);
u32 wt_hack_header(struct sk_buff *skb, u8 *out);
void wt_hack_back(struct wt_radio *r, struct sk_buff *skb);
void wt_hack_done(struct wt_radio *r, struct sk_buff *skb);
bool wt_hack_up(struct wt_radio *r, const u8 *header, u32 len);

void *wt_hack_alloc(size_t bytes)
{
	return kvmalloc(bytes, in_interrupt() ? GFP_ATOMIC : GFP_KERNEL);	/* with the lock held bottom halves are off */
}

void wt_hack_free(void *at)
{
	kvfree(at);
}

void __noreturn wt_hack_panic(const char *file, size_t len, u32 line)
{
	panic("wavetank_radio: TCP/HACK: %.*s:%u", (int)len, file, line);
}

/* A held packet's header; its data begin with IP's. */
u32 wt_hack_header(struct sk_buff *skb, u8 *out)
{
	u32 n = min_t(u32, skb->len - skb_network_offset(skb), HEADER);

	return skb_copy_bits(skb, skb_network_offset(skb), out, n) ? 0 : n;
}

/* No frame came for it: it goes natively. */
void wt_hack_back(struct wt_radio *r, struct sk_buff *skb)
{
	if (!skb_dst(skb) && (!r->vif || !skb->dev ||
			      dev_hard_header(skb, skb->dev, ETH_P_IP, r->vif->bss_conf.bssid, NULL, skb->len) < 0)) {
		wt_hack_done(r, skb);	/* seized, and the interface is gone */
		return;
	}
	__skb_queue_tail(&r->hack.back, skb);
}

/* The AP has it. */
void wt_hack_done(struct wt_radio *r, struct sk_buff *skb)
{
	__skb_queue_tail(&r->hack.done, skb);
}

static struct wt_radio *access_point(void)
{
	unsigned int i;

	for (i = 0; i < wt_n_radios; i++)
		if (wt_radios[i]->started && wt_radios[i]->vif && wt_radios[i]->vif->type == NL80211_IFTYPE_AP)
			return wt_radios[i];
	return NULL;
}

/* An ACK was restored: it goes up at the AP as a received packet. */
bool wt_hack_up(struct wt_radio *r, const u8 *header, u32 len)
{
	struct wt_radio *ap = access_point();
	struct sk_buff *skb = ap && r->vif ? dev_alloc_skb(ETH_HLEN + len) : NULL;
	struct ethhdr *eth;

	if (!skb)
		return false;
	eth = skb_put(skb, ETH_HLEN);
	ether_addr_copy(eth->h_dest, ap->vif->addr);
	ether_addr_copy(eth->h_source, r->vif->addr);
	eth->h_proto = htons(ETH_P_IP);
	skb_put_data(skb, header, len);
	memset(IEEE80211_SKB_RXCB(skb), 0, sizeof(struct ieee80211_rx_status));
	IEEE80211_SKB_RXCB(skb)->flag = RX_FLAG_8023;	/* no frame of 802.11 (rx.c) */
	wt_rx_came(ap, skb, wt_air.now);
	return true;
}

/* ---- frames ---- */

/* The IPv4 header of a data frame of 802.11, if it is a pure TCP ACK: its length, 0 if not. */
static u32 pure_ack(struct sk_buff *skb, u8 *out)
{
	struct ieee80211_hdr *hdr = (void *)skb->data;
	const struct tcphdr *th = (void *)(out + sizeof(struct iphdr));
	unsigned int at = ieee80211_hdrlen(hdr->frame_control);
	const struct iphdr *ip = (void *)out;
	u32 n;

	if (!ieee80211_is_data_present(hdr->frame_control) || skb->len < at + 8 + sizeof(*ip) + sizeof(*th))
		return 0;
	n = skb->len - at - 8;
	if (n > HEADER || get_unaligned_be16(skb->data + at + 6) != ETH_P_IP || skb_copy_bits(skb, at + 8, out, n))
		return 0;
	if (ip->ihl != 5 || ip->protocol != IPPROTO_TCP || sizeof(*ip) + th->doff * 4 != n)
		return 0;
	return th->ack && !th->syn && !th->fin && !th->rst ? n : 0;
}

/* Whether it is a flush, and up to where. */
static bool is_flush(struct sk_buff *skb, u32 *end)
{
	struct ieee80211_hdr *hdr = (void *)skb->data;
	unsigned int at = ieee80211_hdrlen(hdr->frame_control);

	if (!ieee80211_is_data_present(hdr->frame_control) || skb_headlen(skb) < at + 12 ||
	    get_unaligned_be16(skb->data + at + 6) != FLUSH)
		return false;
	*end = get_unaligned_be32(skb->data + at + 8);
	return true;
}

static bool station(const struct wt_radio *r)
{
	return r->hack.pair && r->vif && r->vif->type == NL80211_IFTYPE_STATION;
}

static void look(struct wt_radio *r)
{
	r->hack.deadline = wt_hack_deadline(r->hack.pair);
}

/* The station's hardware is done with one of its frames. Under the lock. */
void wt_hack_settled(struct wt_radio *r, struct sk_buff *skb, bool acked)
{
	u8 header[HEADER] __aligned(4);
	u32 end, n;

	if (!station(r))
		return;
	if (is_flush(skb, &end)) {
		wt_hack_flushed(r->hack.pair, end, acked);
		look(r);
		return;
	}
	n = pure_ack(skb, header);
	if (!n)
		return;
	if (acked) {
		r->hack.native++;
		r->hack.native_bytes += n;
	}
	wt_hack_ended(r->hack.pair, header, n, acked);
}

/* A frame of the station reached the AP. */
void wt_hack_came(struct wt_radio *r, struct sk_buff *skb)
{
	u8 header[HEADER] __aligned(4);
	u32 end, n;

	if (!station(r))
		return;
	if (is_flush(skb, &end)) {
		wt_hack_flush_came(r->hack.pair, end);
		return;
	}
	n = pure_ack(skb, header);
	if (n) {
		wt_debug_ack(r, WT_ACK_CAME, header, n);
		wt_hack_native(r->hack.pair, header, n);
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
		more = frames || (ap->mode != WT_ATH9K_HTC && (!skb_queue_empty(&tid->retry_q) || !skb_queue_empty(&tid->fw_q)));
	}
	rcu_read_unlock();
	for (k = 0; k < IEEE80211_NUM_ACS && ap->mode != WT_ATH9K_HTC && !more; k++)
		list_for_each_entry(p, &ap->ac[k].hwq, list)
			if ((k != q || !list_is_first(&p->list, &ap->ac[k].hwq)) && p->tid && !p->no_ack &&
			    ether_addr_equal(((struct ieee80211_hdr *)p->mpdu[0]->data)->addr1, addr)) {
				more = true;
				break;
			}
	return more;
}

/* The head of a queue goes on the air: what the AP's says of itself. The station, if something may ride on its answer. */
struct wt_radio *wt_hack_head(struct wt_radio *r, int q, const struct wt_ppdu *p)
{
	const u8 *addr = ((struct ieee80211_hdr *)p->mpdu[0]->data)->addr1;
	struct wt_radio *to;

	if (!wt_hack_on())
		return NULL;
	if (station(r) && q < IEEE80211_NUM_ACS)
		r->hack.tried |= BIT(q);
	if (!wt_hack_rides() || !r->vif || r->vif->type != NL80211_IFTYPE_AP || p->no_ack || !(p->tid || p->back_req))
		return NULL;
	to = wt_rx_receiver(r, addr);
	if (!to || !station(to))
		return NULL;
	wt_hack_sends(to->hack.pair, more_for(r, addr, q));
	return to;
}

/* The head of a queue is no longer there. */
void wt_hack_head_gone(struct wt_radio *r, int q)
{
	if (q < IEEE80211_NUM_ACS)
		r->hack.tried &= ~BIT(q);
}

/* A station answers the AP's frame now. By how much its answer, at `rate`, is longer than the plain one of `plain` octets. */
u64 wt_hack_answer(struct wt_radio *r, u32 rate, u32 plain, bool repeats)
{
	u64 longer;
	u32 n;

	if (wt_p.hack == WT_HACK_OPPORTUNISTIC)
		wt_tx_seize(r);
	n = wt_hack_answers(r->hack.pair, wt_air.now, repeats);
	look(r);
	if (n)
		wt_debug_ack(r, WT_ACK_RODE, NULL, n);
	longer = wt_phy_control_ns(rate, plain + n) - wt_phy_control_ns(rate, plain);
	r->hack.riding_ns += longer;
	if (longer > WT_SIFS_NS + 2 * WT_SLOT_NS)	/* beyond the data's NAV and DIFS */
		r->hack.beyond_difs++;
	return longer;
}

/* The AP heard it. */
void wt_hack_heard(struct wt_radio *r)
{
	if (!station(r))
		return;
	wt_debug_ack(r, WT_ACK_HEARD, NULL, 0);
	wt_hack_answered(r->hack.pair);
}

/* A frame that waits in the station's card or above it. True: it was a pure ACK, and rides. */
bool wt_hack_takes(struct wt_radio *r, struct sk_buff *skb)
{
	u8 header[HEADER] __aligned(4);
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
	if (wt_hack_seize(r->hack.pair, wt_air.now, own, header, n))
		return true;
	kfree_skb(own);
	return false;
}

bool wt_hack_pure(struct sk_buff *skb)
{
	u8 header[HEADER] __aligned(4);

	return pure_ack(skb, header);
}

/* A restored ACK is about to go up. */
void wt_hack_went_up(struct sk_buff *skb)
{
	struct wt_radio *ap = access_point(), *r;

	r = ap ? wt_rx_receiver(ap, eth_hdr(skb)->h_source) : NULL;
	if (r)
		wt_debug_ack(r, WT_ACK_RESTORED, skb->data, skb->len);
}

/* ---- the station's stack ---- */

static struct wt_radio *station_of(const struct net_device *dev)
{
	unsigned int i;

	for (i = 0; dev && i < wt_n_radios; i++)
		if (station(wt_radios[i]) && wt_netdev_of(wt_radios[i]) == dev)
			return wt_radios[i];
	return NULL;
}

static bool ack_alone(struct sk_buff *skb)
{
	unsigned int at = ip_hdrlen(skb);
	const struct tcphdr *th;

	if (ip_hdr(skb)->protocol != IPPROTO_TCP || ip_is_fragment(ip_hdr(skb)) || !pskb_may_pull(skb, at + sizeof(*th)))
		return false;
	th = (void *)ip_hdr(skb) + at;
	return skb->len == at + th->doff * 4 && skb->len <= HEADER && th->ack && !th->syn && !th->fin && !th->rst;
}

/* A packet comes down. True: it is held. */
bool wt_hack_down(struct net_device *dev, struct sk_buff *skb,
		  int (*okfn)(struct net *net, struct sock *sk, struct sk_buff *skb))
{
	u8 header[HEADER] __aligned(4);
	struct wt_radio *r;
	bool held = false;
	u32 n;

	/* the checksum is part of what rides; no card of ours makes it later */
	if (!ack_alone(skb) || (skb->ip_summed == CHECKSUM_PARTIAL && skb_checksum_help(skb)) || !skb_dst_force(skb))
		return false;
	n = wt_hack_header(skb, header);
	spin_lock_bh(&wt_air.lock);
	r = n ? station_of(dev) : NULL;
	if (r) {
		wt_debug_ack(r, WT_ACK_MADE, header, n);
		r->hack.okfn = okfn;
		held = wt_hack_sent(r->hack.pair, wt_medium_time(), skb, header, n);
		look(r);
		wt_medium_rearm();
	}
	spin_unlock_bh(&wt_air.lock);
	return held;
}

static unsigned int hack_out(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	return wt_hack_down(state->out, skb, state->okfn) ? NF_STOLEN : NF_ACCEPT;
}

/* A chain in a frame of its own. */
static void queue_flush(struct wt_radio *r, const struct wt_hack_flush *f)
{
	struct net_device *dev = wt_netdev_of(r);
	u32 len = max_t(u32, f->bytes, 4);
	struct sk_buff *skb = dev ? alloc_skb(LL_RESERVED_SPACE(dev) + ETH_HLEN + len, GFP_ATOMIC) : NULL;

	if (!skb)
		return;		/* the next one, once this is taken for lost */
	skb_reserve(skb, LL_RESERVED_SPACE(dev));
	skb->dev = dev;
	skb->protocol = htons(FLUSH);
	skb_reset_network_header(skb);
	memset(skb_put(skb, len), 0, len);
	put_unaligned_be32(f->end, skb->data);
	if (dev_hard_header(skb, dev, FLUSH, r->vif->bss_conf.bssid, NULL, skb->len) < 0)
		kfree_skb(skb);
	else
		__skb_queue_tail(&r->hack.back, skb);
}

/* Nothing came for too long. */
void wt_hack_due(struct wt_radio *r, u64 now)
{
	struct wt_hack_flush flush;

	if (wt_hack_timer(r->hack.pair, now, &flush) && station(r))
		queue_flush(r, &flush);
	look(r);
}

/* Outside the lock: what is over is freed, what comes back goes down. */
void wt_hack_flush_lists(void)
{
	struct sk_buff_head back, done;
	struct sk_buff *skb;
	unsigned int i;

	for (i = 0; wt_hack_on() && i < wt_n_radios; i++) {
		struct wt_radio *r = wt_radios[i];

		if (skb_queue_empty(&r->hack.back) && skb_queue_empty(&r->hack.done))
			continue;
		__skb_queue_head_init(&back);
		__skb_queue_head_init(&done);
		spin_lock_bh(&wt_air.lock);
		skb_queue_splice_init(&r->hack.back, &back);
		skb_queue_splice_init(&r->hack.done, &done);
		spin_unlock_bh(&wt_air.lock);
		__skb_queue_purge(&done);
		rcu_read_lock();
		while ((skb = __skb_dequeue(&back)))
			if (skb_dst(skb))
				r->hack.okfn(dev_net(skb->dev), skb->sk, skb);
			else
				dev_queue_xmit(skb);
		rcu_read_unlock();
	}
}

/* ---- coming and going ---- */

void wt_hack_init(struct wt_radio *r)
{
	__skb_queue_head_init(&r->hack.back);
	__skb_queue_head_init(&r->hack.done);
	r->hack.deadline = U64_MAX;
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

	if (!wt_hack_on() || r->vif->type != NL80211_IFTYPE_STATION)
		return;
	r->hack.pair = wt_hack_pair_new(r, &rules);
}

/* It goes. */
void wt_hack_stop(struct wt_radio *r)
{
	struct sk_buff_head all;

	__skb_queue_head_init(&all);
	spin_lock_bh(&wt_air.lock);
	if (r->hack.pair)
		wt_hack_pair_free(r->hack.pair);
	r->hack.pair = NULL;
	r->hack.deadline = U64_MAX;
	skb_queue_splice_init(&r->hack.back, &all);
	skb_queue_splice_init(&r->hack.done, &all);
	spin_unlock_bh(&wt_air.lock);
	__skb_queue_purge(&all);
}

void wt_hack_show(const struct wt_radio *r, struct wt_hack_seen *s)
{
	memset(s, 0, sizeof(*s));
	if (r->hack.pair)
		wt_hack_seen(r->hack.pair, s);
}

/* debug.c: the AP forgets what it knows of a station's flows */
void wt_hack_amnesia(unsigned int radio)
{
	spin_lock_bh(&wt_air.lock);
	if (radio < wt_n_radios && wt_radios[radio]->hack.pair)
		wt_hack_forget(wt_radios[radio]->hack.pair);
	spin_unlock_bh(&wt_air.lock);
}

static const struct nf_hook_ops hooks[] = {
	{ .hook = hack_out, .pf = NFPROTO_IPV4, .hooknum = NF_INET_POST_ROUTING, .priority = NF_IP_PRI_LAST },
};

static int __net_init net_start(struct net *net)
{
	return nf_register_net_hooks(net, hooks, ARRAY_SIZE(hooks));
}

static void __net_exit net_stop(struct net *net)
{
	nf_unregister_net_hooks(net, hooks, ARRAY_SIZE(hooks));
}

static struct pernet_operations nets = { .init = net_start, .exit = net_stop };

int wt_hack_hook(void)
{
	return wt_hack_on() ? register_pernet_subsys(&nets) : 0;
}

/* Before the cards go. */
void wt_hack_unhook(void)
{
	if (!wt_hack_on())
		return;
	unregister_pernet_subsys(&nets);
	synchronize_net();
}
