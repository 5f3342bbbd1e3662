// SPDX-License-Identifier: GPL-2.0
/*
 * Makes two runs draw the same random numbers.
 *
 * User-Mode Linux asks its host's getrandom() both at boot (arch/um/kernel/um_arch.c setup_arch) and whenever
 * the kernel's generator wants fresh bits (arch/um/include/asm/archrandom.h arch_get_random_longs). Ports,
 * sequence numbers, flow hashes and Minstrel's sample tables all come from there. UML is an ordinary,
 * dynamically linked program of the host, so this library, loaded with LD_PRELOAD, answers in the host's stead
 * with splitmix64 seeded by WAVETANK_SEED. The kernel is not touched.
 *
 * Never load it into anything that needs a secret.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static uint64_t state;
static int ready;

static uint64_t next(void)
{
	uint64_t z;

	if (!ready) {
		const char *seed = getenv("WAVETANK_SEED");

		state = seed ? strtoull(seed, NULL, 10) : 1;
		ready = 1;
	}
	z = (state += 0x9e3779b97f4a7c15ull);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

ssize_t getrandom(void *buf, size_t len, unsigned int flags)
{
	unsigned char *p = buf;
	size_t left = len;

	(void)flags;
	while (left) {
		uint64_t v = next();
		size_t n = left < sizeof(v) ? left : sizeof(v);

		memcpy(p, &v, n);
		p += n;
		left -= n;
	}
	return (ssize_t)len;
}
