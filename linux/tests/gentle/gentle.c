// SPDX-License-Identifier: GPL-2.0
/*
 * gentle: Reno that gives up a part of its window after a loss, half by default. It shows what a module of one's own takes (linux/README.md);
 * the model's half is CONTRIBUTING.md's worked example.
 */
#include <linux/module.h>
#include <net/tcp.h>

static unsigned int beta = 50;
module_param(beta, uint, 0444);
MODULE_PARM_DESC(beta, "part of the window that a loss leaves, percent");

static u32 gentle_ssthresh(struct sock *sk)
{
	return max(tcp_snd_cwnd(tcp_sk(sk)) * beta / 100, 2U);
}

static struct tcp_congestion_ops gentle = {
	.name		= "gentle",
	.owner		= THIS_MODULE,
	.ssthresh	= gentle_ssthresh,
	.cong_avoid	= tcp_reno_cong_avoid,
	.undo_cwnd	= tcp_reno_undo_cwnd,
};

static int __init gentle_init(void)
{
	return tcp_register_congestion_control(&gentle);
}

static void __exit gentle_exit(void)
{
	tcp_unregister_congestion_control(&gentle);
}

module_init(gentle_init);
module_exit(gentle_exit);
MODULE_DESCRIPTION("Reno that gives up a part of its window after a loss");
MODULE_LICENSE("GPL");
