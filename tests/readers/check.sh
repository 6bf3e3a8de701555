#!/usr/bin/env bash
# Results in the hands of other programs: timelines in pyarrow and in Perfetto's trace processor, and the Python package. What
# is not installed is skipped: 'pip install pytest numpy pyarrow perfetto pandas nbclient nbformat ipykernel matplotlib';
# Perfetto fetches its processor when it is first used.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH=$PWD/python${PYTHONPATH:+:$PYTHONPATH}
export WARPLAB=${WARPLAB:-$PWD/target/debug/warplab}
python=${PYTHON:-python3}
if ! "$python" -c 'import pytest, numpy' 2>/dev/null; then
  echo "skipped: exports and the Python package are not tested, as pytest and numpy are not installed"
  exit 0
fi
"$python" -m pytest --quiet -rs -p no:cacheprovider tests/readers python
