#!/usr/bin/env bash
# The job arrays of `warplab experiment --slurm` and `warplab correlate --slurm` on a real Slurm: one slurmctld and two slurmd on this machine's
# loopback, as the user who calls this. One node is killed in the middle of the array, an array is cancelled, and the
# tables must be those of one machine. About four minutes, two of which Slurm waits before a requeued task starts; needs Debian's packages slurmctld, slurmd and slurm-client.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PATH:/usr/sbin:/sbin"

for program in slurmctld slurmd sbatch squeue scancel sinfo; do
  if ! command -v "$program" >/dev/null; then
    echo "skipped: there is no '$program'; Debian has it in slurmctld, slurmd and slurm-client"
    exit 0
  fi
done

cargo build
root=$PWD
warplab=$PWD/target/debug/warplab
folder=$(mktemp -d)
export SLURM_CONF=$folder/slurm.conf
slurmds=()
controller=

stop() {
  scancel --quiet --user "$(id -un)" 2>/dev/null || true
  sleep 1
  kill -9 $controller "${slurmds[@]}" 2>/dev/null || true
  rm -rf "$folder"
}
trap stop EXIT

fail() {
  echo "FAILED: $*" >&2
  sinfo >&2 || true
  squeue >&2 || true
  tail -n 20 "$folder"/*.log >&2 || true
  exit 1
}

# Waits for a command to succeed, for so many seconds.
await() {
  local seconds=$1
  shift
  for _ in $(seq "$((seconds * 2))"); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.5
  done
  fail "after $seconds seconds still not: $*"
}

cat >"$SLURM_CONF" <<CONF
ClusterName=loopback
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=26817
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmdTimeout=5
ReturnToService=2
StateSaveLocation=$folder/state
SlurmctldPidFile=$folder/slurmctld.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdPidFile=$folder/%n.pid
SlurmdSpoolDir=$folder/%n
SlurmdLogFile=$folder/%n.log
NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=26821 CPUs=1
NodeName=n2 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=26822 CPUs=1
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
CONF
# Before version 23 there is no such plugin, and none is needed.
case $(slurmd -V) in
  "slurm-wlm 2"[0-2]* | "slurm 2"[0-2]*) ;;
  *) echo "CgroupPlugin=disabled" >"$folder/cgroup.conf" ;;
esac
mkdir "$folder/state" "$folder/n1" "$folder/n2"
slurmctld -D -i >"$folder/out.slurmctld" 2>&1 &
controller=$!
disown
for node in n1 n2; do
  slurmd -D -N $node >"$folder/out.$node" 2>&1 &
  slurmds+=($!)
  disown
done
idle() { [ "$(sinfo --noheader --format %T --Node | grep --count idle)" = 2 ]; }
await 30 idle

# Nine points of some seconds each.
cp configs/kernels/saxpy.ptx "$folder"
cat >"$folder/sweep.ron" <<'RON'
(
    title: "A sweep", source: "here", why: "to see", kind: launch,
    axes: [(name: "blocks", values: [8192, 9216, 10240, 11264, 12288, 13312, 14336, 15360, 16384])],
    set: {
        "program": "saxpy.ptx", "kernel": "saxpy", "grid": "{blocks}", "block": "256", "gpu": "h200",
        "argument.0": "i32:{blocks * 256}", "argument.1": "f32:2.0",
        "argument.2": "buffer:x:16MiB:hash_f32", "argument.3": "buffer:y:16MiB:hash_f32",
    },
    columns: [(name: "cycles", of: "{sm__cycles_elapsed.max}")],
)
RON
experiment() { "$warplab" experiment sweep.ron "$@"; }
cd "$folder"
experiment --results one.jsonl >one.txt

ended() { [ -z "$(squeue --noheader)" ]; }
# The number of the task that runs on a node, and whether it has finished a point.
task_on() { squeue --noheader --states=R --nodelist="$1" --format=%K; }
has_results() { grep --quiet key warplab-results/slurm/*/"$1".jsonl; }
is_busy() { [ -n "$(task_on "$1")" ]; }

echo "one node dies in the middle"
experiment --slurm --tasks 3
await 30 is_busy n2
await 60 has_results "$(task_on n2)"
# The daemons first, so that nobody reports the end of the task; then what ran on the node. They are known by their
# environment: their node, and the configuration of this very Slurm.
tasks=()
for process in /proc/[0-9]*; do
  environment=$(tr '\0' '\n' <"$process/environ") 2>/dev/null || continue
  if grep --quiet --line-regexp "SLURMD_NODENAME=n2" <<<"$environment" &&
    grep --quiet --line-regexp "SLURM_CONF=$SLURM_CONF" <<<"$environment"; then
    tasks+=("${process#/proc/}")
  fi
done
steps=$(ps --no-headers -o ppid= "${tasks[@]}" | sort --unique)
for process in "${slurmds[1]}" $steps "${tasks[@]}"; do
  # What is neither a daemon of Slurm nor a task stays alone.
  case " ${slurmds[1]} ${tasks[*]} " in
    *" $process "*) kill -9 "$process" ;;
    *) [ "$(ps --no-headers -o comm= "$process")" != slurmstepd ] || kill -9 "$process" ;;
  esac
done
await 180 ended
grep --quiet "requeue job .* due to failure of node n2" "$folder/slurmctld.log" || fail "no task was requeued"
experiment --collect >farm.txt || fail "the points are not complete"
cmp one.txt farm.txt || fail "the table is not that of one machine"

echo "an array is cancelled and resumed"
rm -r warplab-results
experiment --slurm --tasks 3
await 30 is_busy n1
await 60 has_results "$(task_on n1)"
scancel --user "$(id -un)"
await 60 ended
if experiment --collect 2>missing.txt; then fail "nothing is missing after scancel"; fi
grep --quiet -- "--slurm --resume" missing.txt || fail "what to do is not said: $(cat missing.txt)"
experiment --slurm --resume
await 180 ended
experiment --collect >farm.txt || fail "the points are not complete"
cmp one.txt farm.txt || fail "the table is not that of one machine"

echo "a comparison with the hardware"
cp -r "$root/crates/cli/tests/data/reference" "$folder"
correlate() { "$warplab" correlate reference tiny --gpu toy "$@"; }
correlate >one.txt
correlate --slurm --tasks 2
await 60 ended
correlate --collect >farm.txt || fail "the cases are not complete"
cmp one.txt farm.txt || fail "the comparison is not that of one machine"
echo "ok: all tables are those of one machine"
