// SPDX-License-Identifier: GPL-2.0
//! System calls and the few set-up commands, each with its error said in words.

use std::ffi::CString;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, RawFd};
use std::process::Command;

pub fn check(what: &str, rc: i64) -> Result<i64, String> {
    if rc < 0 {
        return Err(format!("{what}: {}", std::io::Error::last_os_error()));
    }
    Ok(rc)
}

fn cstr(s: &str) -> CString {
    CString::new(s).expect("no NUL in a path")
}

pub fn mount(src: &str, dst: &str, kind: &str, data: &str) -> Result<(), String> {
    let (s, d, k, o) = (cstr(src), cstr(dst), cstr(kind), cstr(data));
    let rc = unsafe { libc::mount(s.as_ptr(), d.as_ptr(), k.as_ptr(), 0, o.as_ptr().cast()) };
    check(&format!("mount {dst}"), rc.into()).map(drop)
}

/// The root is the host's, read-only; everything that is written to is a tmpfs, but for the case's directory.
pub fn mount_all(host_dir: &str) -> Result<(), String> {
    mount("proc", "/proc", "proc", "")?;
    mount("sysfs", "/sys", "sysfs", "")?;
    mount("debugfs", "/sys/kernel/debug", "debugfs", "")?;
    mount("tmpfs", "/run", "tmpfs", "")?;
    mount("tmpfs", "/tmp", "tmpfs", "")?;
    std::fs::create_dir("/tmp/wt").map_err(|e| e.to_string())?;
    mount("none", "/tmp/wt", "hostfs", host_dir)?;
    let rc = unsafe { libc::setenv(c"PATH".as_ptr(), c"/usr/sbin:/usr/bin:/sbin:/bin".as_ptr(), 1) };
    check("setenv", rc.into()).map(drop)
}

pub fn power_off() -> ! {
    unsafe {
        libc::sync();
        libc::reboot(libc::RB_POWER_OFF);
    }
    std::process::exit(1)
}

/// Runs `program`, feeding it `input`; the batch modes of ip and tc make a whole topology one process.
pub fn feed(program: &str, args: &[&str], input: &str) -> Result<(), String> {
    let name = format!("/run/{}.batch", program);
    std::fs::write(&name, input).map_err(|e| format!("{name}: {e}"))?;
    let mut all = args.to_vec();
    all.push(&name);
    run(program, &all)
}

pub fn run(program: &str, args: &[&str]) -> Result<(), String> {
    let out = Command::new(program).args(args).output().map_err(|e| format!("{program}: {e}"))?;
    if !out.status.success() {
        return Err(format!("{program} {}: {}", args.join(" "), String::from_utf8_lossy(&out.stderr).trim()));
    }
    Ok(())
}

pub fn sysctl(name: &str, value: &str) -> Result<(), String> {
    match sysctl_there(name, value)? {
        true => Ok(()),
        false => Err(format!("/proc/sys/{name}: there is no such setting")),
    }
}

/// As `sysctl`, where the calling thread's namespace has the setting; else says no.
fn sysctl_there(name: &str, value: &str) -> Result<bool, String> {
    let path = format!("/proc/sys/{name}");
    let mut f = match File::options().write(true).open(&path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        other => other.map_err(|e| format!("{path}: {e}"))?,
    };
    f.write_all(value.as_bytes()).map_err(|e| format!("{path} = {value}: {e}"))?;
    Ok(true)
}

/// Settings (path below /proc/sys, value) of each of these namespaces. What a namespace has not is the machine's (`tcp_rmem` and its like
/// before 4.15, net/ipv4/sysctl_net_ipv4.c) and is set there. Of the congestion controls a namespace has one that the machine allows
/// (net/ipv4/tcp_cong.c tcp_set_default_congestion_control).
pub fn sysctls(namespaces: &[&str], settings: &[(&str, String)]) -> Result<(), String> {
    if let Some((_, cc)) = settings.iter().find(|(name, _)| *name == "net/ipv4/tcp_congestion_control") {
        sysctl("net/ipv4/tcp_allowed_congestion_control", &format!("reno {cc}"))?;
    }
    let mut machines = vec![false; settings.len()];
    for ns in namespaces {
        within(ns, || {
            for ((name, value), machines) in settings.iter().zip(&mut machines) {
                *machines |= !sysctl_there(name, value)?;
            }
            Ok(())
        })?;
    }
    let mut machines = settings.iter().zip(machines).filter(|(_, machines)| *machines);
    machines.try_for_each(|((name, value), _)| sysctl(name, value))
}

pub fn insmod(path: &str, params: &str) -> Result<(), String> {
    let f = File::open(path).map_err(|e| format!("{path}: {e}"))?;
    let p = cstr(params);
    let rc = unsafe { libc::syscall(libc::SYS_finit_module, f.as_raw_fd(), p.as_ptr(), 0) };
    check(&format!("insmod {path}"), rc).map(drop)
}

/// What the kernel has printed, a line each, without levels.
pub fn kernel_log() -> Result<String, String> {
    const READ_ALL: i32 = 3;
    const SIZE_BUFFER: i32 = 10;
    let size = check("kernel log", unsafe { libc::klogctl(SIZE_BUFFER, std::ptr::null_mut(), 0) }.into())?;
    let mut buf = vec![0u8; size as usize];
    let n = check("kernel log", unsafe { libc::klogctl(READ_ALL, buf.as_mut_ptr().cast(), size as i32) }.into())?;
    let text = String::from_utf8_lossy(&buf[..n as usize]);
    let lines = text.lines().map(|line| line.split_once('>').map_or(line, |(_, rest)| rest));
    Ok(lines.map(|line| format!("{line}\n")).collect())
}

/// Of what the kernel prints, what is below this level is shown.
pub fn console_level(level: i32) -> Result<(), String> {
    const CONSOLE_LEVEL: i32 = 8;
    check("console level", unsafe { libc::klogctl(CONSOLE_LEVEL, std::ptr::null_mut(), level) }.into()).map(drop)
}

pub fn rmmod(name: &str) -> Result<(), String> {
    let n = cstr(name);
    let rc = unsafe { libc::syscall(libc::SYS_delete_module, n.as_ptr(), 0) };
    check(&format!("rmmod {name}"), rc).map(drop)
}

/// Moves the calling thread (this one only) into a network namespace made by `ip netns add`.
pub fn enter(netns: &str) -> Result<(), String> {
    let path = format!("/run/netns/{netns}");
    let f = File::open(&path).map_err(|e| format!("{path}: {e}"))?;
    let rc = unsafe { libc::setns(f.as_raw_fd(), libc::CLONE_NEWNET) };
    check(&format!("enter {netns}"), rc.into()).map(drop)
}

/// Runs `f` in a namespace, on a thread of its own, and waits for it.
pub fn within<T: Send>(netns: &str, f: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    std::thread::scope(|s| s.spawn(|| enter(netns).and_then(|()| f())).join().expect("thread"))
}

/// What an ioctl about a device begins with.
fn request(dev: &str) -> libc::ifreq {
    let mut req: libc::ifreq = unsafe { std::mem::zeroed() };
    for (dst, src) in req.ifr_name.iter_mut().zip(dev.bytes()) {
        *dst = src as libc::c_char;
    }
    req
}

/// Turns segmentation and receive offloads off by ethtool's old ioctls, which need no ethtool program.
pub fn offloads_off(dev: &str) -> Result<(), String> {
    const SIOCETHTOOL: u64 = 0x8946;
    const STSO: u32 = 0x1f;
    const SGSO: u32 = 0x24;
    const SGRO: u32 = 0x2c;
    let fd = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM, 0) };
    check("socket", fd.into())?;
    for cmd in [STSO, SGSO, SGRO] {
        let mut value = [cmd, 0u32];
        let mut req = request(dev);
        req.ifr_ifru.ifru_data = value.as_mut_ptr().cast();
        let rc = unsafe { libc::ioctl(fd, SIOCETHTOOL as _, &mut req) };
        // EOPNOTSUPP: a device that never had the feature
        if rc < 0 && std::io::Error::last_os_error().raw_os_error() != Some(libc::EOPNOTSUPP) {
            return Err(format!("ethtool {cmd:#x} {dev}: {}", std::io::Error::last_os_error()));
        }
    }
    unsafe { libc::close(fd) };
    Ok(())
}

/// A device's link-layer address, as `ip` writes it.
pub fn hardware_address(dev: &str) -> Result<String, String> {
    let fd = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM, 0) };
    check("socket", fd.into())?;
    let mut req = request(dev);
    let rc = unsafe { libc::ioctl(fd, libc::SIOCGIFHWADDR as _, &mut req) };
    let got = check(&format!("address of {dev}"), rc.into());
    unsafe { libc::close(fd) };
    got?;
    let octets = unsafe { req.ifr_ifru.ifru_hwaddr.sa_data };
    Ok(octets[..6].iter().map(|b| format!("{:02x}", *b as u8)).collect::<Vec<_>>().join(":"))
}

/// CLOCK_MONOTONIC, nanoseconds.
pub fn now() -> i64 {
    let mut ts: libc::timespec = unsafe { std::mem::zeroed() };
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut ts) };
    ts.tv_sec * 1_000_000_000 + ts.tv_nsec
}

/// The clock of the kernel's time stamps.
pub fn real() -> i64 {
    let mut ts: libc::timespec = unsafe { std::mem::zeroed() };
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &mut ts) };
    ts.tv_sec * 1_000_000_000 + ts.tv_nsec
}

/// Sleeps until a socket takes more.
pub fn wait_writable(fd: RawFd) {
    let mut p = libc::pollfd { fd, events: libc::POLLOUT, revents: 0 };
    unsafe { libc::poll(&mut p, 1, -1) };
}

/// Sleeps until an absolute time; a schedule of absolute times never drifts.
pub fn sleep_until(at: i64) {
    let ts = libc::timespec { tv_sec: at / 1_000_000_000, tv_nsec: at % 1_000_000_000 };
    while unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &ts, std::ptr::null_mut()) }
        == libc::EINTR
    {}
}

/// Has the calling thread sleep until the very time it asked for: the kernel's slack is 50 us (init/init_task.c), by which a timer may wait for another.
pub fn punctual() {
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong) };
}

pub fn set_opt<T>(fd: RawFd, level: i32, name: i32, value: &T) -> Result<(), String> {
    let rc = unsafe {
        libc::setsockopt(fd, level, name, (value as *const T).cast(), std::mem::size_of::<T>() as libc::socklen_t)
    };
    check(&format!("setsockopt {level}/{name}"), rc.into()).map(drop)
}

/// Gives the calling thread real-time priority, so that samples and echoes come before traffic at equal times.
pub fn realtime() {
    let p = libc::sched_param { sched_priority: 1 };
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &p) };
}

/// Waits until a device has a carrier, at most `secs`. IFF_RUNNING would lie: it is set until linkwatch has looked.
pub fn wait_carrier(dev: &str, secs: i64) -> Result<(), String> {
    const SIOCETHTOOL: u64 = 0x8946;
    const GLINK: u32 = 0xa;
    let fd = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM, 0) };
    check("socket", fd.into())?;
    let end = now() + secs * 1_000_000_000;
    loop {
        let mut value = [GLINK, 0u32];
        let mut req = request(dev);
        req.ifr_ifru.ifru_data = value.as_mut_ptr().cast();
        let rc = unsafe { libc::ioctl(fd, SIOCETHTOOL as _, &mut req) };
        if rc == 0 && value[1] != 0 {
            unsafe { libc::close(fd) };
            return Ok(());
        }
        if now() > end {
            return Err(format!("{dev} has no carrier after {secs} s"));
        }
        sleep_until(now() + 20_000_000);
    }
}

/// Says how far the guest is, for --verbose.
pub fn note(text: &str) {
    println!("[{:10.6}] {text}", now() as f64 / 1e9);
}

pub fn address(to: std::net::SocketAddrV4) -> libc::sockaddr_in {
    libc::sockaddr_in {
        sin_family: libc::AF_INET as u16,
        sin_port: to.port().to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(to.ip().octets()) },
        sin_zero: [0; 8],
    }
}
