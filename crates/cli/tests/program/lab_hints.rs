//! Labs 4 to 12: three plausible wrong answers get the right hint, and no number that was simulated.

use crate::labs::{check, hints, solution};
use std::fs;
use std::path::Path;

/// A wrong answer in the worksheet of a solution, and the beginning of its hint.
struct Wrong {
    right: &'static str,
    wrong: &'static str,
    hint: &'static str,
}

const fn wrong(right: &'static str, wrong: &'static str, hint: &'static str) -> Wrong {
    Wrong { right, wrong, hint }
}

/// All wrong answers in one worksheet; `numbers` are what they should have been, in the order of the questions.
fn hinted(lab: &str, answers: &[Wrong]) {
    let changes: Vec<(&str, &str)> = answers.iter().map(|it| (it.right, it.wrong)).collect();
    let first = answers[0].right.trim_matches('"').split('"').next().unwrap();
    let checked = check(lab, &solution(lab, &format!("wrong-{lab}-{first}"), &changes));
    let hints = hints(&checked);
    assert_eq!(hints.len(), answers.len(), "{hints:#?}");
    for (hint, answer) in hints.iter().zip(answers) {
        let said = hint.split_once(": ").unwrap().1;
        assert!(said.starts_with(answer.hint), "'{said}' should begin with '{}'", answer.hint);
    }
    let hidden = checked.stdout.lines().filter(|line| line.contains("  ?  ")).count();
    assert_eq!(hidden, answers.len(), "{}", checked.stdout);
    assert!(checked.stdout.ends_with("'?' is shown after three different tries, or with --reveal\n"));
}

#[test]
fn lab_4_counts_what_is_under_way() {
    hinted(
        "4-littles-law",
        &[
            wrong("\"eight_warps\": 8", "\"eight_warps\": 1", "The warps do not wait for each other"),
            wrong(
                "\"four_loads\": 4",
                "\"four_loads\": 1",
                "The warp is alone, but it does not have to be idle",
            ),
            wrong("\"two_by_two\": 4", "\"two_by_two\": 2", "That is for two loads under way."),
        ],
    );
}

#[test]
fn lab_5_counts_passes() {
    hinted(
        "5-divergence",
        &[
            wrong("\"odd_even\": 2", "\"odd_even\": 1", "A warp has one instruction at a time"),
            wrong("\"half_warps\": 16", "\"half_warps\": 32", "Sixteen neighbours stay together, but"),
            wrong("\"loop_time\": 1.33", "\"loop_time\": 1", "Some lanes leave after six."),
        ],
    );
}

#[test]
fn lab_5_lets_sides_take_turns() {
    hinted(
        "5-divergence",
        &[
            wrong(
                "\"turns\": \"independent\"",
                "\"turns\": \"lockstep\"",
                "In lockstep a stack remembers the other side",
            ),
            wrong("\"turns_time\": 1", "\"turns_time\": 0.5", "The sides take turns, but the warp still has"),
        ],
    );
}

#[test]
fn lab_6_draws_sectors() {
    hinted(
        "6-coalescing",
        &[
            wrong("\"shifted\": 5", "\"shifted\": 4", "So many bytes are needed, but sectors begin"),
            wrong("\"same\": 1", "\"same\": 32", "The load asks for sectors, not for lanes"),
            wrong("\"records\": 4", "\"records\": 1", "Each of the four loads touches only a quarter"),
        ],
    );
}

#[test]
fn lab_7_writes_down_banks() {
    hinted(
        "7-banks",
        &[
            wrong("\"p32\": 32", "\"p32\": 1", "Thread t reads word t * 32 + j."),
            wrong("\"p34\": 2", "\"p34\": 1", "The banks go up by two from lane to lane. How many lanes"),
            wrong("\"p36\": 4", "\"p36\": 2", "That is for 34."),
        ],
    );
}

#[test]
fn lab_8_computes_resident_blocks() {
    hinted(
        "8-occupancy",
        &[
            wrong("\"blocks\": 11", "\"blocks\": 12", "Nearly: every block also pays"),
            wrong(
                "\"loads_time\": 2.8",
                "\"loads_time\": 1",
                "Every warp has a fixed number of loads under way.",
            ),
            wrong(
                "\"work_time\": 1",
                "\"work_time\": 1.45",
                "The warps are fewer, but what do they wait for?",
            ),
        ],
    );
}

#[test]
fn lab_9_asks_where_additions_meet() {
    hinted(
        "9-atomics",
        &[
            wrong(
                "\"slowest\": \"one_bin\"",
                "\"slowest\": \"many_bins\"",
                "256 words are spread over the slices",
            ),
            wrong("\"lanes\": 16384", "\"lanes\": 512", "So many instructions are executed, one a warp."),
            wrong(
                "\"sum\": \"halves\"",
                "\"sum\": \"neighbours\"",
                "After the first iteration every second thread",
            ),
        ],
    );
}

#[test]
fn lab_10_counts_sectors_of_rows() {
    hinted(
        "10-dram",
        &[
            wrong(
                "\"neighbours\": 87.5",
                "\"neighbours\": 100",
                "Even one after the other, each row has to be opened",
            ),
            wrong("\"far\": 3", "\"far\": 1", "As many bytes are read, but what does a bank"),
            wrong("\"banks\": 2", "\"banks\": 1", "While one bank opens a row, the other"),
        ],
    );
}

#[test]
fn lab_11_counts_loads_and_warps() {
    hinted(
        "11-matmul",
        &[
            wrong("\"tiles\": 16", "\"tiles\": 256", "A tile has 256 elements, but each"),
            wrong("\"two\": 1.33", "\"two\": 2", "Only the tile of b is shared"),
            wrong(
                "\"fastest\": \"tiled\"",
                "\"fastest\": \"tiled4\"",
                "It executes the fewest instructions, in four blocks",
            ),
        ],
    );
}

/// The hint for a kernel of lab 11.
fn hint_for_product(name: &str, kernel: &str) -> String {
    let folder = solution("11-matmul", name, &[]);
    fs::write(folder.join("kernel.ptx"), kernel).unwrap();
    let hints = hints(&check("11-matmul", &folder));
    assert_eq!(hints.len(), 1, "{hints:#?}");
    hints[0].clone()
}

fn lab_11(file: &str) -> String {
    let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/labs/11-matmul");
    fs::read_to_string(lab.join(file)).unwrap()
}

/// The program with the row and the column of a thread exchanged.
fn exchanged(kernel: &str) -> String {
    kernel.replace("%tid.x", "%tid").replace("%tid.y", "%tid.x").replace("%tid;", "%tid.y;")
}

#[test]
fn lab_11_the_kernel_as_it_was_is_asked_which_elements_neighbours_read() {
    let hint = hint_for_product("product-as-it-was", &lab_11("mapped.ptx"));
    assert!(hint.starts_with("Hint for check 1: That is the kernel as it was."), "{hint}");
}

#[test]
fn lab_11_a_kernel_with_the_right_threads_and_no_tiles_is_asked_where_a_block_keeps_elements() {
    let hint = hint_for_product("product-mapped", &exchanged(&lab_11("mapped.ptx")));
    assert!(hint.starts_with("Hint for check 1: Neighbours read side by side now."), "{hint}");
}

#[test]
fn lab_11_a_kernel_with_tiles_and_the_wrong_threads_is_asked_what_a_warp_brings() {
    let hint = hint_for_product("product-tiles", &exchanged(&lab_11("solution/kernel.ptx")));
    assert!(hint.starts_with("Hint for check 1: Better. Which elements does a warp bring"), "{hint}");
}

#[test]
fn lab_12_reads_formulas_and_caches() {
    hinted(
        "12-scheduler",
        &[
            wrong(
                "\"which\": \"lrr\"",
                "\"which\": \"gto\"",
                "gto would go on with the warp that issued last.",
            ),
            wrong(
                "\"oldest\": \"lrr\"",
                "\"oldest\": \"oldest_formula\"",
                "The oldest warp that can issue goes first",
            ),
            wrong("\"hits\": 0", "\"hits\": 50", "Half of the data fits."),
        ],
    );
}

#[test]
fn lab_12_a_scheduler_that_lets_all_warps_into_the_cache_is_told_to_hold_some_back() {
    let reuse = "\"rank(select(order < 7, age, never))\"";
    let checked = check("12-scheduler", &solution("12-scheduler", "all-warps", &[(reuse, "\"gto\"")]));
    assert_eq!(
        hints(&checked),
        [
            "Hint for check 2: All warps still take part, and together they need twice the cache. Some of them must be \
             held back: never.",
            "Hint for check 3: The cache holds more warps than you let issue.",
        ]
    );
}

#[test]
fn lab_12_a_scheduler_that_holds_back_every_warp_is_named() {
    let reuse = "rank(select(order < 7, age, never))";
    let checked = check("12-scheduler", &solution("12-scheduler", "no-warps", &[(reuse, "rank(never)")]));
    assert_eq!(checked.status, Some(1));
    let said = "the scheduler rank(\"never\") gives never to every warp that could issue";
    assert!(checked.stderr.contains(said), "{}", checked.stderr);
}

#[test]
fn lab_12_a_formula_that_cannot_be_read_is_shown_in_the_worksheet() {
    let reuse = "rank(select(order < 7, age, never))";
    let checked = check("12-scheduler", &solution("12-scheduler", "fault", &[(reuse, "rank(oder)")]));
    assert_eq!(checked.status, Some(2));
    let said = "'reuse': unknown name 'oder'; did you mean 'order'? known: age, order, slot,";
    assert!(checked.stderr.contains(said), "{}", checked.stderr);
}
