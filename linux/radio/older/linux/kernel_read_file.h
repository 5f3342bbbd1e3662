/* SPDX-License-Identifier: GPL-2.0 */
/* Before 5.10: linux/fs.h's, which gives the size in an argument. Found only where the kernel has none of this name (Kbuild: -idirafter). */
#include <linux/fs.h>

#define kernel_read_file_from_path(path, offset, file, most, size, id) ({				\
	loff_t _read;											\
	int _err = kernel_read_file_from_path(path, file, &_read, most, id);				\
	_err ?: (ssize_t)_read;										\
})
