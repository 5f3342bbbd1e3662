// SPDX-License-Identifier: GPL-2.0
//! Modules of one's own: loading them, with what the kernel says of it, and whether the names that a case asks for are there.

use crate::sys;

/// So that an oops says where it was, which is of level 6 (arch/x86/um/sysrq_64.c show_regs).
const CONSOLE: i32 = 7;

/// Loads the module in a file. What the kernel prints goes with the error; a parameter that the module does not have is one (the kernel
/// ignores it: kernel/module/main.c unknown_module_param_cb).
pub fn load(path: &str, params: &str) -> Result<(), String> {
    let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".ko");
    sys::console_level(CONSOLE)?;
    let before = sys::kernel_log()?.len();
    let loaded = sys::insmod(path, params);
    let said = sys::kernel_log()?.split_off(before);
    match loaded {
        Err(e) => {
            let why = e.rsplit(": ").next().unwrap_or_default().to_string();
            Err(format!("module {name}: cannot be loaded ({why}); the kernel said:\n{}", said.trim_end()))
        }
        Ok(()) => match said.lines().find(|line| line.contains("unknown parameter")) {
            Some(line) => Err(format!("module {name}: cannot be loaded as asked; the kernel said:\n{line}")),
            None => Ok(()),
        },
    }
}

const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/// That the kernel has these congestion controls.
pub fn check_controls<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let text = std::fs::read_to_string(AVAILABLE).map_err(|e| format!("{AVAILABLE}: {e}"))?;
    let mut has: Vec<&str> = text.split_whitespace().collect();
    has.sort_unstable();
    for name in names {
        if has.binary_search(&name).is_err() {
            return Err(format!("the kernel has no congestion control {name}; it has {}", has.join(", ")));
        }
    }
    Ok(())
}
