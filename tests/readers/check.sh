#!/usr/bin/env bash
# Timelines in the hands of the programs that read them: pyarrow, and Perfetto's trace processor. What is not installed is
# skipped: 'pip install pytest pyarrow perfetto'; the last one fetches its processor when it is first used.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PYTHONDONTWRITEBYTECODE=1
python=${PYTHON:-python3}
if ! "$python" -c 'import pytest' 2>/dev/null; then
  echo "skipped: exports are not read back, as pytest is not installed"
  exit 0
fi
"$python" -m pytest --quiet -rs -p no:cacheprovider tests/readers
