// SPDX-License-Identifier: GPL-2.0
/*
 * Lets User-Mode Linux 6.12 put floating-point registers back on hosts whose state is larger than its buffer.
 *
 * arch/x86/um/os-Linux/registers.c hands PTRACE_SETREGSET 2696 bytes (user-offsets.c HOST_FP_SIZE: up to AVX-512 and PKRU). A host
 * with more, AMX's tiles, wants all of its state and answers EFAULT (arch/x86/kernel/fpu/regset.c xstateregs_set), and the guest's
 * init dies. What UML has is put over what the process has: its header says which parts hold anything, and tiles it has none.
 * The kernel is not touched; Linux 6.13 asks the host for the size.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

#define MOST 65536	/* more than any state there is */

static long (*host)(int, ...);
static int larger;	/* the host's state is */

long ptrace(enum __ptrace_request request, ...)
{
	static _Alignas(64) unsigned char whole[MOST];
	const struct iovec *part;
	struct iovec all = { whole, sizeof(whole) };
	void *addr, *data;
	va_list args;
	pid_t pid;

	va_start(args, request);
	pid = va_arg(args, pid_t);
	addr = va_arg(args, void *);
	data = va_arg(args, void *);
	va_end(args);
	if (!host)
		host = (long (*)(int, ...))dlsym(RTLD_NEXT, "ptrace");
	if (request != PTRACE_SETREGSET || (long)addr != NT_X86_XSTATE)
		return host(request, pid, addr, data);
	if (!larger) {
		long done = host(request, pid, addr, data);

		if (!done || errno != EFAULT)
			return done;
		larger = 1;
	}
	part = data;
	if (host(PTRACE_GETREGSET, pid, addr, &all) || part->iov_len > all.iov_len)
		return -1;
	memcpy(whole, part->iov_base, part->iov_len);
	return host(request, pid, addr, &all);
}
