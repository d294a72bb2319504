#!/usr/bin/env bash
# A scratch wiki from this repository's raw/, read by the embedded extractor.
# usage: demo.sh BIN_DIR SCRATCH_DIR
set -euo pipefail
bin=$1 scratch=$2
here=$(cd "$(dirname "$0")/.." && pwd)
export PATH="$bin:$PATH"
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
git init --quiet
git config user.name >/dev/null || git config user.name "Demo"
git config user.email >/dev/null || git config user.email "demo@localhost"

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
run() { say "$@"; "$@"; }

run wiki init
cp "$here"/raw/*.md raw/
run wiki ingest raw/ --model offline
run wiki status
run wiki log -n 4
say git show --stat HEAD
git --no-pager show --stat --format='%s%n%n%b' HEAD
page=$(git ls-files wiki/concepts | grep -v '/index-' | xargs grep -c '^- ' | sort -t: -k2 -n | tail -1 | cut -d: -f1)
run wiki show "$page" | head -40
run wiki undo
run wiki undo
printf '\nThe wiki is in %s: open it in Obsidian, or start at wiki/index.md.\n' "$scratch"
