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
  # A row that deviates ends with another status than 0.
  taken=$({ time target/release/warplab reproduce "$row" --jobs 1 --quiet --results "$results/$row" >/dev/null 2>&1 || true; } 2>&1)
  seconds=$(awk '{ printf "%.0f", $1 + $2 }' <<<"$taken")
  sed -i -E "s/(\(id: \"$row\", seconds: )[0-9]+/\1$seconds/" "$rows"
  echo "$row: $seconds s"
done
