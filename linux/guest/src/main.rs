// SPDX-License-Identifier: GPL-2.0
//! The guest of the second water: the only program that runs on the kernel under test.
//!
//! Enters: a directory of the host (kernel parameter `wt_dir`, handed to init as an environment variable) with
//! `case`, lines of `key value`. Leaves: `out.json` in the same directory, in the format of the stored reference
//! measurements, and the machine switched off.
//!
//! As init (process 1) it mounts what it needs, builds the namespaces and links, starts traffic as threads that
//! each live in the namespace of their host, and samples from one thread by system calls alone: a fork for every
//! sample is what makes virtual time slow.
//!
//! Left to others: parsing JSON and TOML, finding the kernel, judging (the host's side, `linux/uml.py`).

mod air;
mod bulk;
mod case;
mod datagrams;
mod echo;
mod feedback;
mod floods;
mod genl;
mod json;
mod keys;
mod neighbours;
mod own;
mod qdisc;
mod radio;
mod reload;
mod run;
mod state;
mod sys;
mod udp;
mod wifi;
mod wired;

use case::Case;

/// Pages that all of TCP may take (low, pressure, high), as `tcp_init_mem` (net/ipv4/tcp.c) sizes them on a host with 8 GiB. The guest's own,
/// of 512 MiB, would be shared by hosts that are machines of their own: eight windows of 4 MiB with holes met it.
const TCP_MEM: &str = "98304 131072 196608";
/// Packets that may wait for a CPU that a veth pair hands them to. A veth pair stands for a wire, and what a discipline lets go at once
/// (64 skbs of 45 segments, net/sched/sch_generic.c __qdisc_run) for what leaves a card at its rate: the kernel's thousand
/// (net/core/dev.c enqueue_to_backlog) would lose some of them.
const BACKLOG: &str = "1000000";

fn main() {
    let init = std::process::id() == 1;
    let result = std::panic::catch_unwind(|| run(init));
    if !matches!(result, Ok(Ok(()))) {
        if let Ok(Err(e)) = &result {
            println!("wavetank-guest: {e}");
        }
    }
    if init {
        sys::power_off();
    }
}

fn run(init: bool) -> Result<(), String> {
    if !init {
        return Err("runs as process 1 of a User-Mode Linux only".into());
    }
    let host_dir = std::env::var("wt_dir").map_err(|_| "kernel parameter wt_dir is missing")?;
    sys::mount_all(&host_dir)?;
    // Packets have the memory, not programs: without any to kill the kernel would look for some for ever, with its clock at rest.
    std::fs::write("/proc/sys/vm/panic_on_oom", "2").map_err(|e| format!("panic_on_oom: {e}"))?;
    sys::sysctl("net/core/netdev_max_backlog", BACKLOG)?;
    sys::sysctl("net/ipv4/tcp_mem", TCP_MEM)?;
    let case = Case::read("/tmp/wt/case")?;
    for words in case.lines("module") {
        own::load(words[0], &words[1..].join(" "))?;
    }
    let out = match case.text("kind", "wired").as_str() {
        "wired" => wired::run(&case)?,
        "wifi" => wifi::run(&case)?,
        "run" => run::run(&case)?,
        "reload" => reload::run(&case)?,
        other => return Err(format!("unknown kind {other}")),
    };
    std::fs::write("/tmp/wt/out.json", out).map_err(|e| format!("out.json: {e}"))
}
