// SPDX-License-Identifier: GPL-2.0
/*
 * wavetank_sock: a socket option that sets TCP Small Queues' time, sk_pacing_shift, for one socket.
 *
 * Stands for: what mac80211 does to every TCP socket whose packets it sends
 *   (net/mac80211/tx.c, __ieee80211_subif_start_xmit: sk_pacing_shift_update), for a wired sender, whose
 *   value stays at net/core/sock.c sock_init_data_uid's 10 (1/1024 s) since no system call reaches it.
 *
 * How: netfilter keeps a table of socket options that modules may add (net/netfilter/nf_sockopt.c);
 *   net/ipv4/ip_sockglue.c ip_setsockopt looks there for an option that it does not know. The handler is
 *   given the struct sock itself, so nothing runs per packet and TCP is not patched.
 *
 *   setsockopt(fd, IPPROTO_IP, 0x5754, &shift, sizeof(int))     0 <= shift <= 31
 *
 * Differs:
 *   D1  mac80211 rewrites the value on every packet that it sends, so this option has an effect only where
 *       the packets leave by a device that is not mac80211's.
 *   D2  set after connect() and before the first write; a SYN is sent with the shift 10. TSQ looks at no SYN.
 */
#include <linux/module.h>
#include <linux/netfilter.h>
#include <linux/version.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 9, 0)
#include <linux/sockptr.h>
#else /* a7b75c5a8c41: socket options came from users alone */
typedef void __user *sockptr_t;
#define copy_from_sockptr copy_from_user
#endif
#include <net/sock.h>

#define WT_SO_PACING_SHIFT 0x5754 /* "WT" */

static int wt_set(struct sock *sk, int optval, sockptr_t arg, unsigned int len)
{
	int shift;

	if (len < sizeof(shift))
		return -EINVAL;
	if (copy_from_sockptr(&shift, arg, sizeof(shift)))
		return -EFAULT;
	if (shift < 0 || shift > 31)
		return -ERANGE;
	sk_pacing_shift_update(sk, shift);
	return 0;
}

static struct nf_sockopt_ops wt_ops = {
	.pf		= PF_INET,
	.set_optmin	= WT_SO_PACING_SHIFT,
	.set_optmax	= WT_SO_PACING_SHIFT + 1,
	.set		= wt_set,
	.owner		= THIS_MODULE,
};

static int __init wt_init(void)
{
	return nf_register_sockopt(&wt_ops);
}

static void __exit wt_exit(void)
{
	nf_unregister_sockopt(&wt_ops);
}

module_init(wt_init);
module_exit(wt_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("TCP Small Queues' time for one socket");
