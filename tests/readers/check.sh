#!/usr/bin/env bash
# Results in the hands of other programs: timelines in pyarrow and in Perfetto's trace processor, and the Python package.
# Where python3 lacks a reader, it is installed into an environment of its own (target/readers). What needs more is skipped
# by its test: 'pip install perfetto nbclient nbformat ipykernel matplotlib'; Perfetto fetches its processor when it is first
# used.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH=$PWD/python${PYTHONPATH:+:$PYTHONPATH}
export WARPLAB=${WARPLAB:-$PWD/target/debug/warplab}
needed=(pytest numpy pyarrow pandas)
python=${PYTHON:-python3}
own=${CARGO_TARGET_DIR:-target}/readers

has_all() {
  "$1" -c "import $(IFS=,; echo "${needed[*]}")" 2>/dev/null
}

if ! has_all "$python"; then
  if ! has_all "$own/bin/python"; then
    rm -rf "$own"
    "$python" -m venv --system-site-packages "$own" >/dev/null 2>&1 &&
      "$own/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 "${needed[@]}" >/dev/null 2>&1 || true
  fi
  if has_all "$own/bin/python"; then
    python=$own/bin/python
  elif ! "$python" -c 'import pytest, numpy' 2>/dev/null; then
    echo "skipped: exports and the Python package are not tested, as ${needed[*]} are neither here nor can they be installed"
    exit 0
  fi
fi
"$python" -m pytest --quiet -rs -p no:cacheprovider tests/readers python
