//! A run in steady state does not allocate: a counting allocator looks at four simulated seconds of each workload, behind twenty
//! in which its rings have grown to what bursts need.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};
use wavetank_core::net::World;
use wavetank_core::sim::Time;
use wavetank_core::workloads;

struct Counting;
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, l: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are ours.
        unsafe { System.alloc(l) }
    }
    unsafe fn dealloc(&self, p: *mut u8, l: Layout) {
        // SAFETY: the caller's promises are ours.
        unsafe { System.dealloc(p, l) }
    }
    unsafe fn realloc(&self, p: *mut u8, l: Layout, n: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are ours.
        unsafe { System.realloc(p, l, n) }
    }
}

#[global_allocator]
static GLOBAL: Counting = Counting;

/// A workload whose cards leave rate control to the kernel.
const ATH9K: &str = "ath9k-upload";

#[test]
fn steady_state_does_not_allocate() {
    let hack = [("traffic.tcp_up", "0"), ("traffic.tcp_down", "1"), ("hack.policy", "more-data")];
    let hacked = workloads::ALL.iter().filter(|w| w.name != "rrul").map(|w| (w, &hack[..]));
    let rate_control = |version| {
        [
            ("ap.rate_control", "minstrel_ht"),
            ("sta.rate_control", "minstrel_ht"),
            ("minstrel_ht.version", version),
            ("wifi.mcs_error", "0*3, 0.1, 0.4, 0.8"),
        ]
    };
    let rate_controlled = ["6.12", "3.18"].map(rate_control);
    let on_a_channel = [
        ("ap.rate_control", "aarc"),
        ("sta.rate_control", "aarc"),
        ("channel.on", "true"),
        ("channel.doppler", "10"),
        ("channel.snr", "25"),
    ];
    let polled =
        [("ap.driver", "ath10k"), ("sta.driver", "ath10k"), ("traffic.tcp_up", "1"), ("traffic.tcp_down", "1")];
    let ax = [
        ("kernel", "6.12"),
        ("wifi.standard", "ax"),
        ("wifi.mcs", "11"),
        ("wifi.width_mhz", "80"),
        ("ap.driver", "mt76"),
        ("sta.driver", "mt76"),
        ("traffic.tcp_down", "1"),
        ("wifi.error_rate", "0.02"),
    ];
    let tso = ax.map(|(k, v)| (k, if v == "mt76" { "iwlwifi" } else { v }));
    let ath9k = workloads::ALL.iter().find(|w| w.name == ATH9K).expect("a workload on ath9k");
    let fixed = workloads::ALL.iter().map(|w| (w, &[][..])).chain(hacked);
    let chosen = rate_controlled.iter().map(|set| &set[..]).chain([&on_a_channel[..], &polled[..], &ax[..], &tso[..]]);
    for (w, set) in fixed.chain(chosen.map(|set| (ath9k, set))) {
        let mut world = World::new(&w.scenario(set)).unwrap();
        world.run_until(Time::from_s(20));
        let (before, made) = (ALLOCATIONS.load(Ordering::Relaxed), world.packets_made());
        world.run_until(Time::from_s(24));
        let (after, packets) = (ALLOCATIONS.load(Ordering::Relaxed), world.packets_made() - made);
        assert!(packets > 1_000, "{}: {packets} packets in four seconds", w.name);
        // Rings may still grow to a new high-water mark, once; that is not a packet's doing.
        let allocations = after - before;
        assert!(allocations * 1_000 < packets, "{}: {allocations} allocations for {packets} packets", w.name);
    }
}
