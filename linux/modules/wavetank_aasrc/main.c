// SPDX-License-Identifier: GPL-2.0
/*
 * main: parameters, loading, unloading.
 *
 * Stands for: docs/mechanisms/aasrc.md and aarc.md, whose names and defaults these are. A card takes the rate control that
 *   mac80211's ieee80211_default_rc_algo names when its driver registers it:
 *
 *     insmod wavetank_aasrc.ko
 *     echo aasrc > /sys/module/mac80211/parameters/ieee80211_default_rc_algo
 *     modprobe -r ath9k && modprobe ath9k
 *
 * While a card uses it the module cannot be unloaded.
 */
#include <linux/log2.h>
#include <linux/module.h>
#include "aasrc.h"

struct aasrc_params aasrc_p = {
	.max_backoff_ms = { [AASRC] = 32, [AARC] = 256, [AARC_SNR] = 256 },	/* sections 5.5.1, 5.7.2 */
	.threshold = 100,	/* section 5.7.1 */
	.pkt_bytes = 1200,	/* section 5.5 */
	.overhead_ns = 117500,	/* DIFS, SIFS, 7.5 slots */
	.window = 256,
	.feedback_ms = 250,
	.silence_ms = 50,
	.ack_snr = true,
};

static int set_power_of_two(const char *text, const struct kernel_param *kp)
{
	unsigned int v;
	int err = kstrtouint(text, 0, &v);

	if (err)
		return err;
	if (!is_power_of_2(v) || v > 4096)
		return -EINVAL;
	WRITE_ONCE(*(unsigned int *)kp->arg, v);
	return 0;
}

static int set_positive(const char *text, const struct kernel_param *kp)
{
	unsigned int v;
	int err = kstrtouint(text, 0, &v);

	if (err)
		return err;
	if (!v || v > 10000000)
		return -EINVAL;
	WRITE_ONCE(*(unsigned int *)kp->arg, v);
	return 0;
}

static const struct kernel_param_ops power_of_two = { .set = set_power_of_two, .get = param_get_uint };
static const struct kernel_param_ops positive = { .set = set_positive, .get = param_get_uint };

#define PARAM(_ops, _name, _field, _text) \
	module_param_cb(_name, _ops, &aasrc_p._field, 0644); MODULE_PARM_DESC(_name, _text)

PARAM(&power_of_two, max_backoff_ms, max_backoff_ms[AASRC], "aasrc: longest back-off, a power of two, ms [32]");
PARAM(&power_of_two, aarc_max_backoff_ms, max_backoff_ms[AARC], "aarc: the same [256]");
PARAM(&power_of_two, aarc_snr_max_backoff_ms, max_backoff_ms[AARC_SNR], "aarc_snr: the same [256]");
PARAM(&positive, threshold, threshold, "aarc, aarc_snr: 1/100 dB by which the channel must be better for a probe at once [100]");
PARAM(&positive, pkt_bytes, pkt_bytes, "octets of a frame in the throughput that is compared [1200]");
PARAM(&positive, overhead_ns, overhead_ns, "contention and interframe spaces of a unit in it [117500]");
PARAM(&positive, window, window, "frames after which a rate's counts are halved [256]");
PARAM(&positive, feedback_ms, feedback_ms, "aarc, aarc_snr: older feedback is dropped [250]");
PARAM(&positive, silence_ms, silence_ms, "ms without any report, after which units go at the rate below [50]");
module_param_named(streams, aasrc_p.streams, uint, 0644);
MODULE_PARM_DESC(streams, "of new stations: spatial streams at most; 0: what both ends have [0]");
module_param_named(ack_snr, aasrc_p.ack_snr, bool, 0644);
MODULE_PARM_DESC(ack_snr, "aarc_snr: without feedback, the strength of acknowledgements is the SNR [1]");

static int __init aasrc_init(void)
{
	int i, err = aasrc_feedback_init();

	if (err)
		return err;
	for (i = 0; i < AASRC_KINDS; i++) {
		err = ieee80211_rate_control_register(&aasrc_ops[i]);
		if (err)
			goto undo;
	}
	return 0;
undo:
	while (i--)
		ieee80211_rate_control_unregister(&aasrc_ops[i]);
	aasrc_feedback_exit();
	return err;
}

static void __exit aasrc_exit(void)
{
	int i;

	aasrc_feedback_exit();
	for (i = 0; i < AASRC_KINDS; i++)
		ieee80211_rate_control_unregister(&aasrc_ops[i]);
}

module_init(aasrc_init);
module_exit(aasrc_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Rate control that fills aggregates: AASRC, AARC");
