//! Memory that is set aside for a socket and not yet charged (`sk_forward_alloc`), of kernels that keep it, which is whole pages: what is charged
//! takes of it, what is freed adds to it, and a few occasions give it back. Header prediction takes no data that would need another page.
//!
//! Stands for: include/net/sock.h `sk_wmem_schedule`, `sk_rmem_schedule`, `sk_mem_uncharge`, `sk_mem_reclaim`, `sk_mem_reclaim_partial`;
//! net/core/sock.c `__sk_mem_schedule`, `__sk_mem_reclaim`; net/ipv4/tcp_output.c `sk_forced_mem_schedule`; of Linux 4.14 to 5.15. From 6.0 on
//! no whole page stays (`sk_mem_uncharge`), and what is charged tells all.
//! Differs: D1 there is memory (no pressure, no `tcp_mem`).

use super::profile::SetsAside;

/// `SK_MEM_QUANTUM`, bytes.
pub const PAGE: u32 = 4_096;

/// Pages that the socket has, charged or not.
#[derive(Clone, Copy, Default, Debug)]
pub struct ForwardAlloc {
    /// Bytes of them.
    pages: u32,
}

impl ForwardAlloc {
    /// What is not charged, where `charged` bytes are.
    pub const fn left(&self, charged: u32) -> u32 {
        self.pages.saturating_sub(charged)
    }

    /// So many bytes are to be charged.
    pub fn schedule(&mut self, by: SetsAside, charged: u32, size: u32) {
        self.uncharged(charged);
        let left = self.left(charged);
        if size > left {
            let lacks = if by == SetsAside::Whole { size } else { size - left };
            self.pages = self.pages.max(charged) + lacks.next_multiple_of(PAGE);
        }
    }

    /// What was charged is freed: of 2 MiB that nobody needs one goes.
    fn uncharged(&mut self, charged: u32) {
        while self.left(charged) >= 1 << 21 {
            self.pages -= 1 << 20;
        }
    }

    /// Whole pages go.
    pub fn reclaim(&mut self, charged: u32) {
        self.pages -= self.left(charged) / PAGE * PAGE;
    }

    /// They do, but for the last one's last byte.
    pub fn reclaim_partial(&mut self, charged: u32) {
        self.pages -= self.left(charged).saturating_sub(1) / PAGE * PAGE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_page(by: SetsAside) -> ForwardAlloc {
        let mut f = ForwardAlloc::default();
        f.schedule(by, 0, 2_304);
        assert_eq!(f.left(0), PAGE);
        f
    }

    #[test]
    fn what_has_room_takes_no_page() {
        let mut f = with_page(SetsAside::Whole);
        f.schedule(SetsAside::Whole, 2_304, PAGE - 2_304);
        assert_eq!(f.left(2_304), PAGE - 2_304);
    }

    #[test]
    fn what_has_none_takes_all_pages_or_what_is_missing() {
        for (by, pages) in [(SetsAside::Whole, 1 + 3), (SetsAside::Missing, 1 + 2)] {
            let mut f = with_page(by);
            f.schedule(by, 1_280, 10_000);
            assert_eq!(f.left(0), pages * PAGE, "{by:?}");
        }
    }

    #[test]
    fn whole_pages_go_and_of_an_only_one_none_in_part() {
        for (charged, left, partly) in [(0, 0, PAGE), (1, PAGE - 1, PAGE - 1), (PAGE, 0, PAGE)] {
            let mut f = ForwardAlloc::default();
            f.schedule(SetsAside::Whole, 0, 3 * PAGE);
            let mut g = f;
            f.reclaim(charged);
            assert_eq!(f.left(charged), left);
            g.reclaim_partial(charged);
            assert_eq!(g.left(charged), partly);
        }
    }

    #[test]
    fn of_two_mebibytes_that_nobody_needs_one_goes() {
        let mut f = ForwardAlloc::default();
        f.schedule(SetsAside::Whole, 0, 5 << 19);
        f.schedule(SetsAside::Whole, 1 << 19, 1);
        assert_eq!(f.left(1 << 19), 1 << 20);
    }
}
