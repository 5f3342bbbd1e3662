/* SPDX-License-Identifier: GPL-2.0 */
/* Before 6.12 it is each architecture's; found only where the kernel has none of this name (Kbuild: -idirafter). */
#include <asm/unaligned.h>
