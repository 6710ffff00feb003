//! Whether stdout was closed before this program began (`>&-`).
//!
//! The standard library opens `/dev/null` in place of a closed stdout before `main`, and every result would vanish
//! without an error. So this is looked at earlier, when the program is loaded.

#[cfg(any(target_os = "linux", target_os = "macos"))]
mod early {
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    extern "C" fn look() {
        // SAFETY: asks for the flags of a file descriptor and touches no memory.
        let flags = unsafe { nix::libc::fcntl(nix::libc::STDOUT_FILENO, nix::libc::F_GETFD) };
        CLOSED.store(flags == -1, Ordering::Relaxed);
    }

    // SAFETY: the loader calls the functions of this section one by one before `main`; this one needs nothing that is
    // set up later.
    #[used]
    #[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
    #[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
    static LOOK: extern "C" fn() = look;

    pub fn was_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }
}

/// Whether there was no stdout at all; never on a system where that cannot be seen.
pub fn stdout_was_closed() -> bool {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    let closed = early::was_closed();
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    let closed = false;
    closed
}
