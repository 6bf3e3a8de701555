#!/usr/bin/env bash
# Measures the seconds of one core that rows of the course take, and writes them into configs/course/rows.ron, from where
# 'warplab reproduce --list' has them: benches/course.sh [ROW ...], all rows if none is named. It takes a release build, an
# idle machine, and about half an hour.
set -euo pipefail
cd "$(dirname "$0")/.."
rows=configs/course/rows.ron
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
TIMEFORMAT='%U %S'
for row in ${@:-$(sed -n 's/.*(id: "\([^"]*\)".*/\1/p' "$rows")}; do
  if ! taken=$({ time target/release/warplab reproduce "$row" --jobs 1 --quiet --results "$results/$row" >"$results/out" 2>&1; } 2>&1); then
    cat "$results/out" >&2
    echo "$row: not measured, as it fails" >&2
    exit 1
  fi
  seconds=$(awk '{ printf "%.0f", $1 + $2 }' <<<"$taken")
  sed -i -E "s/(\(id: \"$row\", seconds: )[0-9]+/\1$seconds/" "$rows"
  echo "$row: $seconds s"
done
