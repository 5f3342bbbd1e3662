// SPDX-License-Identifier: GPL-2.0
//! What `../../ack/hack.c` and its neighbour call: TCP/HACK's two drivers (`crates/hack`, the very code of the model), in words of C.
//!
//! A packet is an skb's address; C gets each one back that it handed over, by `wt_hack_back` or `wt_hack_done`. All calls of a radio's two
//! sides are made under the medium's lock, and none from within another.
//!
//! The core library's code may use SSE. In User-Mode Linux that is safe: the kernel is a process of the host, which keeps its registers
//! (its memcpy is the host's C library's, with the same registers), and user space's are those of other processes.
#![no_std]

extern crate alloc;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::alloc::{GlobalAlloc, Layout};
use core::ffi::c_void;
use core::slice;
use wavetank_hack::{Access, Headers, Mark, Rules, Waits};

/// Bytes of the longest header.
const LONGEST: usize = 80;

/// Whose a side is; opaque.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Owner(*mut c_void);
/// A packet.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Skb(*mut c_void);

unsafe extern "C" {
    fn wt_hack_alloc(bytes: usize) -> *mut u8;
    fn wt_hack_free(at: *mut u8);
    fn wt_hack_panic(file: *const u8, len: usize, line: u32) -> !;
    /// The packet's header to `out`, 80 bytes at most; 0: it has none.
    fn wt_hack_header(skb: Skb, out: *mut u8) -> u32;
    fn wt_hack_back(owner: Owner, skb: Skb);
    fn wt_hack_done(owner: Owner, skb: Skb);
    fn wt_hack_up(owner: Owner, header: *const u8, len: u32) -> bool;
}

struct Kernel;

// SAFETY: both are the kernel's allocator, which aligns to 8 bytes; nothing here asks for more.
unsafe impl GlobalAlloc for Kernel {
    unsafe fn alloc(&self, l: Layout) -> *mut u8 {
        if l.align() > 8 { core::ptr::null_mut() } else { unsafe { wt_hack_alloc(l.size()) } }
    }
    unsafe fn dealloc(&self, at: *mut u8, _: Layout) {
        unsafe { wt_hack_free(at) }
    }
}

#[global_allocator]
static KERNEL: Kernel = Kernel;

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    let (file, line) = info.location().map_or(("", 0), |l| (l.file(), l.line()));
    // SAFETY: the text outlives the call, which does not return.
    unsafe { wt_hack_panic(file.as_ptr(), file.len(), line) }
}

impl Headers<Skb> for Kernel {
    fn write(&self, p: &Skb, out: &mut [u8; LONGEST]) -> Option<usize> {
        // SAFETY: the packet is one that C handed over and has not got back.
        let n = unsafe { wt_hack_header(*p, out.as_mut_ptr()) } as usize;
        (1..=LONGEST).contains(&n).then_some(n)
    }
}

/// `struct wt_hack_rules`.
#[repr(C)]
pub struct CRules {
    rides: bool,
    /// 0 never, 1 always, 2 while it is promised.
    waits: u8,
    bytes: u16,
    timer: u64,
    guard: u64,
    load: u64,
}

/// `struct wt_hack_flush`.
#[repr(C)]
pub struct CFlush {
    end: u32,
    bytes: u32,
}

/// `struct wt_hack_seen`.
#[repr(C)]
pub struct CSeen {
    made: u64,
    compressed: u64,
    compressed_bytes: u64,
    riding_bytes: u64,
    responses: u64,
    failures: u64,
    not_ready: u64,
    repairs: u64,
    flushes: u64,
    restored: u64,
    refused: u64,
}

/// A station's driver, the AP's of it, and what rides.
pub struct Pair {
    owner: Owner,
    client: wavetank_hack::Client<Skb>,
    access: Access,
    mark: Mark,
    air: Vec<u8>,
}

impl Pair {
    fn new(owner: Owner, rules: &CRules) -> Pair {
        let waits = [Waits::Never, Waits::Always, Waits::Promised][usize::from(rules.waits.min(2))];
        let &CRules { rides, bytes, timer, guard, load, .. } = rules;
        let client = wavetank_hack::Client::new(Rules { rides, waits, timer, guard, load, bytes });
        let air = Vec::with_capacity(usize::from(bytes) + 1);
        Pair { owner, client, access: Access::default(), mark: Mark::default(), air }
    }
    fn restore(&mut self, response: bool) {
        let owner = self.owner;
        // SAFETY: a header's bytes, for the call's length.
        self.access.chain(&self.air, response, |h, _| unsafe { wt_hack_up(owner, h.as_ptr(), h.len() as u32) });
        self.air.clear();
    }
}

/// A new one.
///
/// # Safety
/// As all below: pointers are good, and nobody else uses the pair meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wt_hack_pair_new(owner: Owner, rules: *const CRules) -> *mut Pair {
    Box::into_raw(Box::new(Pair::new(owner, unsafe { &*rules })))
}

/// The end: packets of the chain go to `wt_hack_done`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wt_hack_pair_free(p: *mut Pair) {
    let p = unsafe { Box::from_raw(p) };
    p.client.each(|skb| unsafe { wt_hack_done(p.owner, skb) });
}

/// The stack hands a pure ACK down. True: it is held.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wt_hack_sent(p: *mut Pair, now: u64, skb: Skb, header: *const u8, len: u32) -> bool {
    let p = unsafe { &mut *p };
    p.client.sent(now, skb, Some(unsafe { slice::from_raw_parts(header, len as usize) }))
}

/// The AP's frame goes on the air to this station.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wt_hack_sends(p: *mut Pair, more_data: bool) {
    let p = unsafe { &mut *p };
    p.air.clear();
    p.mark = p.access.mark(more_data);
}

/// The station answers it. How many bytes ride.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wt_hack_answers(p: *mut Pair, now: u64, repeats: bool) -> u32 {
    let Pair { owner, client, mark, air, .. } = unsafe { &mut *p };
    let back = |skb| unsafe { wt_hack_back(*owner, skb) };
    let done = |skb| unsafe { wt_hack_done(*owner, skb) };
    client.answer(now, *mark, repeats, air, &Kernel, back, done);
    air.len() as u32
}

/// The AP heard the answer: what rode goes to `wt_hack_up`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wt_hack_answered(p: *mut Pair) {
    unsafe { &mut *p }.restore(true);
}

/// When [`wt_hack_timer`] wants to be called; all ones: never.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wt_hack_deadline(p: *const Pair) -> u64 {
    unsafe { &*p }.client.deadline
}

/// It is called. True: a flush is to be queued.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wt_hack_timer(p: *mut Pair, now: u64, flush: *mut CFlush) -> bool {
    let p = unsafe { &mut *p };
    let owner = p.owner;
    let found = p.client.timer(now, &Kernel, |skb| unsafe { wt_hack_back(owner, skb) });
    if let Some(f) = found {
        unsafe { *flush = CFlush { end: f.end as u32, bytes: f.bytes } };
    }
    found.is_some()
}

/// A pure ACK reached the AP natively.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wt_hack_native(p: *mut Pair, header: *const u8, len: u32) {
    unsafe { (*p).access.native(slice::from_raw_parts(header, len as usize)) };
}

/// A flush reached the AP: what is new of it goes to `wt_hack_up`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wt_hack_flush_came(p: *mut Pair, end: u32) {
    let p = unsafe { &mut *p };
    // what rides on a response that is on the air stays
    let riding = core::mem::take(&mut p.air);
    p.client.flush(end, &mut p.air);
    p.restore(false);
    p.air = riding;
}

/// The station's hardware is done with a native ACK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wt_hack_ended(p: *mut Pair, header: *const u8, len: u32, arrived: bool) {
    unsafe { (*p).client.ended(slice::from_raw_parts(header, len as usize), arrived) };
}

/// And with a flush.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wt_hack_flushed(p: *mut Pair, end: u32, arrived: bool) {
    let p = unsafe { &mut *p };
    let owner = p.owner;
    p.client.flushed(end, arrived, |skb| unsafe { wt_hack_done(owner, skb) });
}

/// A pure ACK that waits in the station's transmit queue. True: it rides, and the packet is the chain's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wt_hack_seize(p: *mut Pair, now: u64, skb: Skb, header: *const u8, len: u32) -> bool {
    let p = unsafe { &mut *p };
    p.client.seize(now, skb, unsafe { slice::from_raw_parts(header, len as usize) })
}

/// The AP forgets all contexts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wt_hack_forget(p: *mut Pair) {
    unsafe { (*p).access.forget() };
}

/// What happened.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wt_hack_seen(p: *const Pair, out: *mut CSeen) {
    let p = unsafe { &*p };
    let s = p.client.seen;
    let seen = CSeen {
        made: s.acks,
        compressed: s.compressed,
        compressed_bytes: s.compressed_bytes,
        riding_bytes: s.riding_bytes,
        responses: s.responses,
        failures: s.failures,
        not_ready: s.not_ready,
        repairs: s.repairs,
        flushes: s.flushes,
        restored: p.access.restored,
        refused: p.access.refused,
    };
    unsafe { *out = seen };
}
