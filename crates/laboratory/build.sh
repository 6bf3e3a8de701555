#!/usr/bin/env bash
# Builds the laboratory into a static folder (target/laboratory, or the one that is named), which `warplab serve` and any
# file server can serve. Needs Node with npm, and the target wasm32-unknown-unknown of Rust. With --quick the simulator is
# built as the tests are: sooner done, and slower to run. With --compile only the simulator is built, with --bind only the rest,
# of what was built before: other things can be compiled meanwhile.
set -euo pipefail
cd "$(dirname "$0")/../.."

profile=web
sooner=()
compile=1
bind=1
if [ "${1:-}" = --quick ]; then
  profile=dev
  # Small kernels are compiled here, none of them often; and two cores build the interpreter sooner in several parts.
  sooner=(--config 'profile.dev.debug=false' --config 'profile.dev.package.warplab-lower.opt-level=0'
    --config 'profile.dev.package.warplab-ptx.opt-level=0' --config 'profile.dev.package.warplab-exec.codegen-units=8')
  shift
fi
case "${1:-}" in
--compile) bind= && shift ;;
--bind) compile= && shift ;;
esac
out=$(realpath -m "${1:-target/laboratory}")

if ! command -v npm >/dev/null; then
  echo "npm is missing: install Node 20 or later" >&2
  exit 1
fi
if command -v rustup >/dev/null; then
  rustup target add wasm32-unknown-unknown
fi

if [ -n "$compile" ]; then
  # The lanes of a warp are computed together.
  export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-C target-feature=+simd128"
  cargo build -p warplab-laboratory --target wasm32-unknown-unknown --profile "$profile" --no-default-features \
    "${sooner[@]}"
fi
[ -n "$bind" ] || exit 0

wasm=target/wasm32-unknown-unknown/${profile/#dev/debug}/warplab_laboratory.wasm
bound=target/wasm32-unknown-unknown/bound
cargo run --quiet --locked --manifest-path crates/laboratory/bind/Cargo.toml --target-dir target/bind -- "$wasm" "$bound"

cd crates/web/page
[ -x node_modules/.bin/esbuild ] || npm ci --no-audit --no-fund --silent
rm -rf "$out"
node build.mjs --laboratory "../../../$bound" "$out"
echo "$out"
