/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What BBR's variants share: the hooks that take.py calls from the kernel's BBR, parameters with a range, the registration.
 *
 * A variant is one file: its parameters, this header, "kernel_bbr_state.h" and "kernel_bbr_code.h" (the kernel's, taken at build time),
 * its three hooks, and VARIANT(). Its state has room in the unused bits of struct bbr: the kernel gives all 104 bytes to BBR.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/version.h>
#include <net/tcp.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define get_random_u32_below(n) prandom_u32_max(n)
#endif

/* Gains have ten bits in struct bbr. */
#define MAX_GAIN 1023

static void wavetank_gains(struct sock *sk);
static u64 wavetank_pace(u64 rate);
static void wavetank_cycle(struct sock *sk, const struct rate_sample *rs);

struct ranged {
	unsigned int value, min, max;
};

static int ranged_set(const char *text, const struct kernel_param *kp)
{
	struct ranged *r = kp->arg;
	unsigned int v;
	int err = kstrtouint(text, 0, &v);

	if (!err && (v < r->min || v > r->max))
		err = -ERANGE;
	if (!err)
		WRITE_ONCE(r->value, v);
	return err;
}

static int ranged_get(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%u\n", READ_ONCE(((struct ranged *)kp->arg)->value));
}

static const struct kernel_param_ops ranged_ops = { .set = ranged_set, .get = ranged_get };

/* A parameter of /sys/module/.../parameters that may change at any time; P(name) is its value. */
#define RANGED(name, standard, least, most, text) \
	static struct ranged name##_param = { standard, least, most }; \
	module_param_cb(name, &ranged_ops, &name##_param, 0644); \
	MODULE_PARM_DESC(name, text " (" #standard "; " #least " to " #most ")")
#define P(name) READ_ONCE(name##_param.value)

#define VARIANT(as, text) \
	static struct tcp_congestion_ops variant __read_mostly = { \
		.flags = TCP_CONG_NON_RESTRICTED, \
		.name = as, \
		.owner = THIS_MODULE, \
		.init = bbr_init, \
		.cong_control = bbr_main, \
		.sndbuf_expand = bbr_sndbuf_expand, \
		.undo_cwnd = bbr_undo_cwnd, \
		.cwnd_event = bbr_cwnd_event, \
		.ssthresh = bbr_ssthresh, \
		.min_tso_segs = bbr_min_tso_segs, \
		.get_info = bbr_get_info, \
		.set_state = bbr_set_state, \
	}; \
	static int __init variant_register(void) \
	{ \
		BUILD_BUG_ON(sizeof(struct bbr) > ICSK_CA_PRIV_SIZE); \
		return tcp_register_congestion_control(&variant); \
	} \
	static void __exit variant_unregister(void) \
	{ \
		tcp_unregister_congestion_control(&variant); \
	} \
	module_init(variant_register); \
	module_exit(variant_unregister); \
	MODULE_LICENSE("GPL"); \
	MODULE_DESCRIPTION(text)
