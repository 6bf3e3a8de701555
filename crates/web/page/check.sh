#!/usr/bin/env bash
# Checks that the committed views are what their source gives, and uses the page in a browser.
# With --bundle only the first.
set -euo pipefail
cd "$(dirname "$0")"

if ! command -v npm >/dev/null; then
  echo "skipped: the views of the page are not checked, as npm is missing"
  exit 0
fi
if ! [ -x node_modules/.bin/esbuild ] && ! npm ci --no-audit --no-fund --silent; then
  echo "skipped: the views of the page are not checked, as npm could not install what they are built with"
  exit 0
fi
npx --no-install tsc --noEmit

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
node build.mjs "$fresh"
if ! diff -rq "$fresh" dist; then
  echo "crates/web/page/dist is not what its source gives: run 'npm run build' in crates/web/page and commit it" >&2
  exit 1
fi
[ "${1:-}" = --bundle ] && exit 0

if ! command -v chromium >/dev/null && command -v apt-get >/dev/null; then
  { apt-get update && apt-get install --yes --no-install-recommends chromium; } >/dev/null 2>&1 || true
fi
node --test tests/*.test.mjs
