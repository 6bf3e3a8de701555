//! The hardware reference beside the simulator: the whole output, wrong outputs, wrong usage.

use crate::common::warplab;
use snapbox::str;

const TINY: &str = "correlate reference tiny --gpu toy";

fn stdout(line: &str) -> String {
    String::from_utf8(warplab(line).get_output().stdout.clone()).unwrap()
}

#[test]
fn hardware_and_simulator_stand_side_by_side() {
    warplab(TINY).success().stderr_eq("").stdout_eq(str![[r#"
case          isa  cycles hw     sim  ratio  clock hw  sim  ratio  inst hw     sim  regs hw  sim  L1 ld hw    sim
scale_n2048   ptx      2,911   1,911  0.656         -    -      -      896     896       14   14       320    256
scale_n16384  ptx     21,470  15,126  0.705         -    -      -    7,168   7,168       16   14     2,048  2,048
scale_n65536  ptx     75,838  63,047  0.831         -    -      -   35,840  28,672       14   14     7,372  8,192
latency_mad   ptx          -       -      -        40   20  0.500        -       -        -    -         -      -

case          isa  L1 st hw    sim  L1 hit % hw  sim  L2 sect hw     sim  L2 hit % hw  sim  DRAM rd hw      sim
scale_n2048   ptx       256    256            0    0         512     512           50   50       8,192    8,192
scale_n16384  ptx     2,048  2,048            0    0       4,096   4,096           40   50      65,536   65,536
scale_n65536  ptx     8,192  8,192            0    0      16,384  16,384           30   50     262,144  262,144

case          isa  DRAM wr hw      sim  occup % hw    sim  issue % hw    sim
scale_n2048   ptx       6,680    5,120       17.45  17.84       10.67  13.95
scale_n16384  ptx      62,208   62,336       36.97  39.43        9.59  12.12
scale_n65536  ptx     233,280  258,944       37.47  38.04       10.55  11.42

case          isa  largest stalls hw (% of warp cycles)                sim                                           overlap %
scale_n2048   ptx  long_scoreboard 58, lg_throttle 29, not_selected 5  long_scoreboard 53, lg_throttle 24, drain 11       89.5
scale_n16384  ptx  lg_throttle 57, long_scoreboard 34, not_selected 4  lg_throttle 56, long_scoreboard 30, drain 6        95.6
scale_n65536  ptx  lg_throttle 57, long_scoreboard 34, not_selected 4  lg_throttle 56, long_scoreboard 31, drain 7        95.4

Errors on Toy
metric    isa  cases  error        bias  Pearson     tau  small  false
cycles    ptx      3  26.92  %    0.727   0.9997  1.0000      0      0
clock     ptx      1  50.00  %    0.500        -       -      0      0
inst      ptx      2  10.00  %    0.894   1.0000  1.0000      1      0
regs      ptx      3   4.17  %    0.956        -       -      0      0
L1 ld     ptx      2   5.56  %    1.054   1.0000  1.0000      1      0
L1 st     ptx      2   0.00  %    1.000   1.0000  1.0000      1      0
L1 hit %  ptx      3   0.00  pp   +0.00        -       -      0      0
L2 sect   ptx      2   0.00  %    1.000   1.0000  1.0000      1      0
L2 hit %  ptx      3  10.00  pp  +10.00        -       -      0      0
DRAM rd   ptx      0      -  %        -        -       -      3      0
DRAM wr   ptx      0      -  %        -        -       -      3      0
occup %   ptx      3   1.14  pp   +1.14   0.9968  0.3333      0      0
issue %   ptx      3   2.23  pp   +2.23   0.3464  0.3333      0      0
stalls %  ptx      3   6.52  pp   -6.52        -       -      0      0

Stall reasons, from ptx: mean share of the warps' cycles in 3 cases, in %
state of warps     hw   sim  difference
long_scoreboard  42.2  37.9         4.3
wait              0.9   1.4         0.5
lg_throttle      47.7  45.5         2.2
drain             3.7   8.3         4.5
not_selected      4.4   5.5         1.1
selected          1.0   1.4         0.4
The largest reason is the hardware's in 100 % of the cases.

Errors by group, from ptx (rates in pp, others in %)
group        cases  cycles  clock  inst  regs  L1 ld  L1 st  L1 hit  L2 sect  L2 hit  DRAM rd  DRAM wr  occup  issue  stalls
latency_mad      1       -   50.0     -     -      -      -       -        -       -        -        -      -      -       -
scale_n          3    26.9      -  10.0   4.2    5.6    0.0     0.0      0.0    10.0        -        -    1.1    2.2     6.5

Stall reasons by group, from ptx
group    cases  largest agrees %  other states %
scale_n      3               100               7

Worst of cycles, from ptx
case              hw     sim  error
scale_n2048    2,911   1,911   34.4  %
scale_n16384  21,470  15,126   29.5  %
scale_n65536  75,838  63,047   16.9  %

Worst of clock, from ptx
case         hw  sim  error
latency_mad  40   20   50.0  %

Worst of inst, from ptx
case              hw     sim  error
scale_n65536  35,840  28,672   20.0  %

Worst of regs, from ptx
case          hw  sim  error
scale_n16384  16   14   12.5  %

Worst of L1 ld, from ptx
case             hw    sim  error
scale_n65536  7,372  8,192   11.1  %

Worst of L2 hit %, from ptx
case          hw  sim  error
scale_n65536  30   50   20.0  pp
scale_n16384  40   50   10.0  pp

Worst of occup %, from ptx
case             hw    sim  error
scale_n16384  36.97  39.43    2.5  pp
scale_n65536  37.47  38.04    0.6  pp
scale_n2048   17.45  17.84    0.4  pp

Worst of issue %, from ptx
case             hw    sim  error
scale_n2048   10.67  13.95    3.3  pp
scale_n16384   9.59  12.12    2.5  pp
scale_n65536  10.55  11.42    0.9  pp

Worst of stalls %, from ptx
case           hw    sim  error
scale_n2048   100  89.49   10.5  pp
scale_n65536  100  95.38    4.6  pp
scale_n16384  100  95.57    4.4  pp

Errors are mean absolute ones: of counts, times and ratios in % of the hardware's value, of rates (%) in percentage
points (pp). bias is the geometric mean of simulated / hardware, of rates the mean of simulated - hardware. Pearson's
coefficient is of the logarithms, of rates of the values; tau is Kendall's tau-b. A relative error is formed only where
the hardware has at least 1,000 of what is counted, 1,000,000 bytes, or 0.1 of a mean or ratio; 'small' cases are below
that on both sides and 'false' ones on the hardware only: neither is in the statistics. clock is the last reading of
the clock that the kernel wrote; stalls is the share of the warps' cycles that falls on the same states.

"#]]);
}

#[test]
fn a_wrong_checksum_and_a_fault_come_first_and_make_the_status_one() {
    warplab("correlate reference wrong --gpu toy --metric sm__cycles_elapsed.max").code(1).stdout_eq(str![[r#"
WRONG  wrong/scale_n2048 (ptx): the checksum of y is not the hardware's
FAILED wrong/scale_n4096 (ptx): scale+0xa0 (line 18) LDG.E R9, desc[UR4][R10.64]: block (8,0,0) thread (64,0,0): global access of 4 bytes at 0x7f0000002100 is out of bounds: 256 bytes past the end of 'x' (0x7f0000000000, 8192 bytes)

case         isa  cycles hw    sim  ratio
scale_n2048  ptx      1,000  1,911  1.911
scale_n64    ptx      1,000    278  0.278

Errors on Toy
metric  isa  cases  error      bias  Pearson  tau  small  false
cycles  ptx      2  81.65  %  0.729        -    -      0      0

Errors by group, from ptx (rates in pp, others in %)
group    cases  cycles
scale_n      3    81.7

Worst of cycles, from ptx
case            hw    sim  error
scale_n2048  1,000  1,911   91.1  %
scale_n64    1,000    278   72.2  %

Errors are mean absolute ones: of counts, times and ratios in % of the hardware's value, of rates (%) in percentage
points (pp). bias is the geometric mean of simulated / hardware, of rates the mean of simulated - hardware. Pearson's
coefficient is of the logarithms, of rates of the values; tau is Kendall's tau-b. A relative error is formed only where
the hardware has at least 1,000 of what is counted, 1,000,000 bytes, or 0.1 of a mean or ratio; 'small' cases are below
that on both sides and 'false' ones on the hardware only: neither is in the statistics. clock is the last reading of
the clock that the kernel wrote; stalls is the share of the warps' cycles that falls on the same states.

"#]]);
}

#[test]
fn the_output_does_not_depend_on_the_number_of_cases_at_once() {
    for format in ["", "--csv -", "--json -", "--svg -"] {
        let one = stdout(&format!("{TINY} {format} --jobs 1"));
        assert!(!one.is_empty(), "{format}");
        assert_eq!(one, stdout(&format!("{TINY} {format} --jobs 3 --memory 100KiB")), "{format}");
    }
}

#[test]
fn csv_has_a_row_a_case_with_both_values_of_every_metric() {
    let csv = stdout(&format!("{TINY} --csv - --filter scale"));
    let mut lines = csv.lines();
    let head = lines.next().unwrap();
    assert!(head.starts_with("suite,case,kernel,isa,group,result,"), "{head}");
    assert!(head.contains(",sm__cycles_elapsed.max hw,sm__cycles_elapsed.max sim,"), "{head}");
    let names: Vec<&str> = lines.map(|line| line.split(",scale,").next().unwrap()).collect();
    assert_eq!(names, ["tiny,scale_n2048", "tiny,scale_n16384", "tiny,scale_n65536"]);
}

#[test]
fn json_has_cases_and_errors() {
    let value: serde_json::Value = serde_json::from_str(&stdout(&format!("{TINY} --json -"))).unwrap();
    assert_eq!(value["schema_version"], 1);
    assert_eq!(value["cases"].as_array().unwrap().len(), 4);
    assert_eq!(value["cases"][3]["metrics"]["clock_cycles"]["hardware"], 40.0);
    assert_eq!(value["errors"][0]["metric"], "clock_cycles");
    assert_eq!(value["errors"][0]["cases"], 1);
}

#[test]
fn wrong_usage_says_what_is_there() {
    let cases = [
        ("correlate nowhere", "error: nowhere cannot be read: [..]\n"),
        ("correlate . --gpu toy", "error: . has no file NAME.cases.jsonl; see traces/h200/README.md\n"),
        (
            "correlate reference tine",
            "error: reference has no file 'tine.cases.jsonl'; did you mean 'tiny'? it has: tiny, wrong\n",
        ),
        (
            "correlate reference --filter scale_n2047",
            "error: no case of 7 fits 'scale_n2047'; did you mean 'scale_n2048'? give a part of a name, or a pattern \
             with * and ?\n",
        ),
        (
            "correlate reference wrong --filter n64 --below 100",
            "error: all 1 chosen cases have more than 100 warp instructions, scale_n64 the first; --all runs them\n",
        ),
        (
            "correlate reference --metric sm__cycles_elapsed.mx",
            "error: unknown metric 'sm__cycles_elapsed.mx'; did you mean 'sm__cycles_elapsed.max'? give an id as in \
             the columns of NAME.metrics.csv\n",
        ),
        (
            "correlate reference --isa sass",
            "error: reference has no program of 'tiny': it needs 'tiny.sass' or '.cubin'\n",
        ),
    ];
    for (line, message) in cases {
        warplab(line).code(2).stdout_eq("").stderr_eq(message);
    }
}
