// SPDX-License-Identifier: GPL-2.0
/*
 * hack_stack: between TCP/HACK's machines and Linux: memory, netfilter's hook, what goes down natively, what goes up restored.
 *
 * Sources and departures: hack.c.
 */
#include <linux/ip.h>
#include <linux/netfilter_ipv4.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/net_namespace.h>
#include "ack/hack.h"
#include "ack/hack_core.h"
#include "air/trace.h"
#include "clock.h"
#include "driver.h"

/* ---- what the machines ask for ---- */

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
	u32 n = min_t(u32, skb->len - skb_network_offset(skb), WT_HACK_HEADER);

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
	__skb_queue_tail(&r->hack->back, skb);
}

/* The AP has it. */
void wt_hack_done(struct wt_radio *r, struct sk_buff *skb)
{
	__skb_queue_tail(&r->hack->done, skb);
}

static struct wt_radio *access_point(void)
{
	unsigned int i;

	for (i = 0; i < wt_n_radios; i++)
		if (wt_radios[i]->started && wt_is_ap(wt_radios[i]))
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
	IEEE80211_SKB_RXCB(skb)->flag = RX_FLAG_8023;	/* no frame of 802.11 (air/rx.c) */
	ap->driver->came(ap, skb, wt_now);
	return true;
}

/* ---- down ---- */

static struct wt_radio *station_of(const struct net_device *dev)
{
	unsigned int i;

	for (i = 0; dev && i < wt_n_radios; i++)
		if (wt_hack_station(wt_radios[i]) && wt_netdev_of(wt_radios[i]) == dev)
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
	return skb->len == at + th->doff * 4 && skb->len <= WT_HACK_HEADER && th->ack && !th->syn && !th->fin && !th->rst;
}

/* A packet comes down. True: it is held. */
bool wt_hack_down(struct net_device *dev, struct sk_buff *skb,
		  int (*okfn)(struct net *net, struct sock *sk, struct sk_buff *skb))
{
	u8 header[WT_HACK_HEADER] __aligned(4);
	struct wt_radio *r;
	bool held = false;
	u32 n;

	/* the checksum is part of what rides; no card of ours makes it later */
	if (!ack_alone(skb) || (skb->ip_summed == CHECKSUM_PARTIAL && skb_checksum_help(skb)) || !skb_dst_force(skb))
		return false;
	n = wt_hack_header(skb, header);
	spin_lock_bh(&wt_lock);
	r = n ? station_of(dev) : NULL;
	if (r) {
		wt_trace_ack(r, WT_ACK_MADE, header, n);
		r->hack->okfn = okfn;
		held = wt_hack_sent(r->hack->pair, wt_time(), skb, header, n);
		wt_hack_look(r);
		wt_clock_rearm();
	}
	spin_unlock_bh(&wt_lock);
	return held;
}

static unsigned int hack_out(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	return wt_hack_down(state->out, skb, state->okfn) ? NF_STOLEN : NF_ACCEPT;
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

/* A chain in a frame of its own. */
void wt_hack_stack_queue_flush(struct wt_radio *r, const struct wt_hack_flush *f)
{
	struct net_device *dev = wt_netdev_of(r);
	u32 len = max_t(u32, f->bytes, 4);
	struct sk_buff *skb = dev ? alloc_skb(LL_RESERVED_SPACE(dev) + ETH_HLEN + len, GFP_ATOMIC) : NULL;

	if (!skb)
		return;		/* the next one, once this is taken for lost */
	skb_reserve(skb, LL_RESERVED_SPACE(dev));
	skb->dev = dev;
	skb->protocol = htons(WT_HACK_FLUSH);
	skb_reset_network_header(skb);
	memset(skb_put(skb, len), 0, len);
	put_unaligned_be32(f->end, skb->data);
	if (dev_hard_header(skb, dev, WT_HACK_FLUSH, r->vif->bss_conf.bssid, NULL, skb->len) < 0)
		kfree_skb(skb);
	else
		__skb_queue_tail(&r->hack->back, skb);
}

/* ---- after unlocking ---- */

/* What is over is freed, what comes back goes down. */
void wt_hack_stack_flush(void)
{
	struct sk_buff_head back, done;
	struct sk_buff *skb;
	unsigned int i;

	for (i = 0; i < wt_n_radios; i++) {
		struct wt_radio *r = wt_radios[i];

		if (skb_queue_empty(&r->hack->back) && skb_queue_empty(&r->hack->done))
			continue;
		__skb_queue_head_init(&back);
		__skb_queue_head_init(&done);
		spin_lock_bh(&wt_lock);
		skb_queue_splice_init(&r->hack->back, &back);
		skb_queue_splice_init(&r->hack->done, &done);
		spin_unlock_bh(&wt_lock);
		__skb_queue_purge(&done);
		rcu_read_lock();
		while ((skb = __skb_dequeue(&back)))
			if (skb_dst(skb))
				r->hack->okfn(dev_net(skb->dev), skb->sk, skb);
			else
				dev_queue_xmit(skb);
		rcu_read_unlock();
	}
}

/* A restored ACK is about to go up. */
void wt_hack_stack_went_up(struct sk_buff *skb)
{
	struct wt_radio *ap = access_point(), *r;

	r = ap ? wt_receiver(ap, eth_hdr(skb)->h_source) : NULL;
	if (r)
		wt_trace_ack(r, WT_ACK_RESTORED, skb->data, skb->len);
}

int wt_hack_stack_hook(void)
{
	return register_pernet_subsys(&nets);
}

/* Before the cards go. */
void wt_hack_stack_unhook(void)
{
	unregister_pernet_subsys(&nets);
	synchronize_net();
}
