//! Values of 128 bits: moved, loaded, stored and exchanged at once.

use crate::programs::{check, kernel};

/// The body between declarations that all kernels here have; `%q` are registers of 128 bits.
fn with_memory(body: &str) -> String {
    let declared = ".global .align 16 .b8 g[64]; .shared .align 16 .b8 s[64];";
    kernel("", declared, &format!(".reg .b128 %q<9>; mov.u32 %r0, 0; {body}"))
}

/// The words of `%rd{first}` and the one after it, weighed so that each has its own place.
fn weighed(first: u32) -> String {
    format!(
        "mov.b64 {{%r10, %r11}}, %rd{first}; mov.b64 {{%r12, %r13}}, %rd{}; mad.lo.u32 %r0, %r10, 1, %r0; \
         mad.lo.u32 %r0, %r11, 10, %r0; mad.lo.u32 %r0, %r12, 100, %r0; mad.lo.u32 %r0, %r13, 1000, %r0;",
        first + 1
    )
}

#[test]
fn two_doublewords_are_put_together_and_taken_apart() {
    let body = format!(
        "add.u32 %r2, %r1, 1; add.u32 %r3, %r1, 2; add.u32 %r4, %r1, 3; mov.b64 %rd3, {{%r1, %r2}}; mov.b64 %rd4, {{%r3, %r4}}; \
         mov.b128 %q1, {{%rd3, %rd4}}; mov.b128 %q2, %q1; st.shared.b128 [s], %q2; ld.shared.b128 %q3, [s]; \
         mov.b128 {{%rd5, %rd6}}, %q3; {}",
        weighed(5)
    );
    check(&with_memory(&body), 1, |x| x + (x + 1) * 10 + (x + 2) * 100 + (x + 3) * 1000);
}

#[test]
fn one_thread_finds_what_it_compares_with_and_the_last_exchange_stays() {
    for (space, place) in [("global", "%rd7"), ("shared", "s"), ("", "%rd7")] {
        let of = if space.is_empty() { String::new() } else { format!(".{space}") };
        let body = format!(
            "mov.u64 %rd7, g; mov.u64 %rd3, 0; mov.u64 %rd4, 5; mov.b128 %q1, {{%rd3, %rd3}}; mov.b128 %q2, {{%rd4, %rd4}}; \
             mov.b128 %q3, {{%rd3, %rd4}}; st{of}.b128 [{place}], %q1; bar.sync 0; \
             atom{of}.cas.b128 %q4, [{place}], %q3, %q1; atom{of}.cas.b128 %q5, [{place}], %q1, %q2; bar.sync 0; \
             atom{of}.exch.b128 %q6, [{place}], %q3; \
             mov.b128 {{%rd8, %rd9}}, %q4; mov.b128 {{%rd10, %rd11}}, %q5; mov.b128 {{%rd12, %rd13}}, %q6; \
             {}{}{}",
            weighed(8),
            weighed(10),
            weighed(12)
        );
        // The first comparison finds zeros, and so does the second; the exchange finds what that has put there.
        check(&with_memory(&body), 1, |_| 505);
    }
}
