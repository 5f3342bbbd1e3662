// SPDX-License-Identifier: GPL-2.0
/*
 * wire: what a host gets over the wire lies in a card's buffer, whoever cut it up before.
 *
 * Behind an access point that merges what it receives (air/napi.c) stands a veth pair, which hands over what its stack cut up again:
 * net/core/skbuff.c skb_segment copies the first segment into a buffer of its own, half as large as those that the others came in, and without
 * room for another segment behind it. What TCP's receiver makes of that (tcp_measure_rcv_mss, tcp_try_coalesce) no host behind a real wire
 * sees: its card receives all of them into buffers of one size.
 * Where it hooks: netfilter's, before anything looks at the packet.
 * Differs:
 *   D1  IPv4 and TCP only, and only what is in one piece: a socket's own segments are in pages.
 */
#include <linux/ip.h>
#include <linux/netfilter_ipv4.h>
#include <net/net_namespace.h>
#include "air/rx.h"
#include "wire.h"

#define COPYBREAK	256	/* shorter ones a card's driver copies */

static unsigned int wire_in(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	int lacks = WT_RX_ROOM - (int)skb_end_offset(skb);

	if (ip_hdr(skb)->protocol == IPPROTO_TCP && !skb_is_nonlinear(skb) && skb->len >= COPYBREAK && lacks > 0)
		pskb_expand_head(skb, 0, lacks, GFP_ATOMIC);
	return NF_ACCEPT;
}

static const struct nf_hook_ops hook = {
	.hook = wire_in, .pf = NFPROTO_IPV4, .hooknum = NF_INET_PRE_ROUTING, .priority = NF_IP_PRI_FIRST,
};

static int __net_init net_start(struct net *net)
{
	return nf_register_net_hook(net, &hook);
}

static void __net_exit net_stop(struct net *net)
{
	nf_unregister_net_hook(net, &hook);
}

static struct pernet_operations nets = { .init = net_start, .exit = net_stop };

static bool merges(void)
{
	unsigned int i;

	for (i = 0; wt_p.gro && i < wt_p.n_mode; i++)
		if (wt_p.mode[i] == WT_ATH10K || wt_p.mode[i] == WT_MT76 || wt_p.mode[i] == WT_IWL)
			return true;
	return false;
}

int wt_wire_hook(void)
{
	return merges() ? register_pernet_subsys(&nets) : 0;
}

void wt_wire_unhook(void)
{
	if (merges())
		unregister_pernet_subsys(&nets);
}
