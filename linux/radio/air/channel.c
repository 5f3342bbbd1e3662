// SPDX-License-Identifier: GPL-2.0
/*
 * channel: what a link does to a PPDU at a time: how likely an octet survives at each MCS, and with which SNR it arrives.
 *
 * Source: the model's channel (crates/core/src/phy), which writes both down for every step of time; the kernel has no floating
 *   point, and so both waters meet literally the same channel. A file, named by the parameter `channel`, little-endian:
 *
 *     magic "WTCHAN2\n"   u32 links   u32 steps   u64 step, ns   u16 mcs   u16 widths   u32 subcarriers
 *     a link:  u16 from, u16 to (radios), u32 0, then for each step
 *              s16 SNR of the control half, s16 of the extension half, as a card reports it (1/100 dB)
 *              u32 loss[mcs * widths + 8]: -log2 of the probability that an octet arrives, times 2^32 (saturated): at MCS 0, 1, ...
 *              over the whole channel, then (two widths) over 20 MHz of its 40, then at the eight rates of 802.11a
 *              s16 re, s16 im [subcarriers]: CSI, as a card reports it
 *
 *   Step 0 begins at the time written to debugfs' channel_start (CLOCK_MONOTONIC, ns) and holds before it; the last step holds
 *   after the end. An MPDU of n octets arrives with probability 2^(-n loss / 2^32).
 * Differs:
 *   D1  the step at the PPDU's start holds for all of it.
 *   D2  MPDUs are lost independently of each other within a step.
 *   D3  preambles are heard whenever anything is; management frames and BARs are not lost.
 *   D4  a link that the file does not name has error_ppm's losses and a constant SNR.
 */
#include <linux/kernel_read_file.h>
#include <linux/vmalloc.h>
#include "air/channel.h"
#include "air/phy.h"

#define MAX_SUBCARRIERS	114	/* 40 MHz */

struct head {
	u8 magic[8];
	__le32 links, steps;
	__le64 step_ns;
	__le16 mcs, widths;
	__le32 subcarriers;
} __packed;

struct link_head {
	__le16 from, to;
	__le32 zero;
} __packed;

static struct {
	void *file;
	const u8 *link[WT_MAX_RADIOS][WT_MAX_RADIOS];	/* its first step, NULL: none */
	u64 start, step_ns;
	u32 steps, step_bytes, mcs, widths, modes, subcarriers;
} ch;

int wt_channel_load(const char *path)
{
	const struct head *h;
	ssize_t size;
	size_t link_bytes;
	u32 i, links;

	if (!path || !*path)
		return 0;
	size = kernel_read_file_from_path(path, 0, &ch.file, INT_MAX, NULL, READING_UNKNOWN);
	if (size < 0) {
		pr_err("wavetank_radio: channel %s cannot be read: %zd\n", path, size);
		return size;
	}
	h = ch.file;
	if (size < sizeof(*h) || memcmp(h->magic, "WTCHAN2\n", 8))
		goto bad;
	links = le32_to_cpu(h->links);
	ch.steps = le32_to_cpu(h->steps);
	ch.step_ns = le64_to_cpu(h->step_ns);
	ch.mcs = le16_to_cpu(h->mcs);
	ch.widths = le16_to_cpu(h->widths);
	ch.modes = ch.mcs * ch.widths + WT_OFDM_RATES;
	ch.subcarriers = le32_to_cpu(h->subcarriers);
	if (!ch.steps || !ch.step_ns || ch.mcs > 32 || ch.widths < 1 || ch.widths > 2 || ch.subcarriers > MAX_SUBCARRIERS)
		goto bad;
	ch.step_bytes = 4 + 4 * ch.modes + 4 * ch.subcarriers;
	link_bytes = sizeof(struct link_head) + (size_t)ch.steps * ch.step_bytes;
	if (links > WT_MAX_RADIOS * WT_MAX_RADIOS || size != sizeof(*h) + links * link_bytes)
		goto bad;
	for (i = 0; i < links; i++) {
		const struct link_head *l = ch.file + sizeof(*h) + i * link_bytes;
		u16 from = le16_to_cpu(l->from), to = le16_to_cpu(l->to);

		if (from >= WT_MAX_RADIOS || to >= WT_MAX_RADIOS)
			goto bad;
		ch.link[from][to] = (const u8 *)(l + 1);
	}
	return 0;
bad:
	pr_err("wavetank_radio: %s is no channel of this version, or is cut short\n", path);
	wt_channel_unload();
	return -EINVAL;
}

void wt_channel_unload(void)
{
	vfree(ch.file);
	memset(&ch, 0, sizeof(ch));
}

void wt_channel_start(u64 at)
{
	ch.start = at;
}

/* What a link is like at a time: its record, or NULL. */
static const u8 *record(const struct wt_radio *from, const struct wt_radio *to, u64 at)
{
	const u8 *first = to ? ch.link[from->index][to->index] : NULL;
	u64 step = ch.start && at > ch.start ? div64_u64(at - ch.start, ch.step_ns ?: 1) : 0;

	return first ? first + min_t(u64, step, ch.steps - 1) * ch.step_bytes : NULL;
}

/* 2^-(x / 2^32), in parts of 2^32 (saturated below 1): each bit of the fraction is a factor 2^-(2^-k) */
static u32 exp2_minus(u64 x)
{
	/* round(2^32 * 2^-(2^-k)) for k = 1 .. 16 */
	static const u32 factor[16] = {
		3037000500u, 3611622603u, 3938502376u, 4112874773u, 4202935003u, 4248701965u, 4271771996u, 4283353945u,
		4289156690u, 4292061010u, 4293513907u, 4294240540u, 4294603903u, 4294785595u, 4294876445u, 4294921870u,
	};
	u64 y = U32_MAX;
	int k;

	if (x >> 32 >= 32)
		return 0;
	for (k = 0; k < 16; k++)
		if (x & BIT_ULL(31 - k))
			y = (y * factor[k]) >> 32;
	/* what is left is small: 2^-z = 1 - z ln 2 */
	y -= (((y * (x & 0xffff)) >> 32) * 2977044472u) >> 32;
	return y >> (x >> 32);
}

bool wt_channel_present(const struct wt_radio *from, const struct wt_radio *to)
{
	return to && ch.link[from->index][to->index];
}

/* The probability, in parts of 2^32, that `bytes` sent now arrive, at an MCS or at a rate of 802.11a. */
u32 wt_channel_survives(const struct wt_radio *from, const struct wt_radio *to, u64 at, enum wt_channel_modes of, u32 idx, u32 bytes)
{
	const __le32 *loss = (const __le32 *)(record(from, to, at) + 4);
	u32 first = of == WT_OFDM ? ch.mcs * ch.widths : of == WT_HT20 ? ch.mcs * (ch.widths - 1) : 0;

	return idx < (of == WT_OFDM ? WT_OFDM_RATES : ch.mcs) ? exp2_minus((u64)le32_to_cpu(loss[first + idx]) * bytes) : 0;
}

/* SNR of the halves of the channel, 1/100 dB; false where the file says nothing. */
bool wt_channel_snr(const struct wt_radio *from, const struct wt_radio *to, u64 at, s16 *ctl, s16 *ext)
{
	const __le16 *r = (const __le16 *)record(from, to, at);

	if (!r)
		return false;
	*ctl = le16_to_cpu(r[0]);
	*ext = le16_to_cpu(r[1]);
	return true;
}

/* The frequency response, pairs of re and im (little-endian); 0: none. */
u32 wt_channel_csi(const struct wt_radio *from, const struct wt_radio *to, u64 at, const __le16 **csi)
{
	const u8 *r = record(from, to, at);

	*csi = r ? (const __le16 *)(r + 4 + 4 * ch.modes) : NULL;
	return r ? ch.subcarriers : 0;
}
