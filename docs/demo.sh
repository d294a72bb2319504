#!/usr/bin/env bash
# A scratch wiki from this repository's raw/, read by the embedded extractor: no key, no network.
# usage: demo.sh BIN_DIR SCRATCH_DIR      (SCRATCH_DIR is removed and made anew)
set -euo pipefail
bin=$1 scratch=$2
here=$(cd "$(dirname "$0")/.." && pwd)
export PATH="$bin:$PATH"

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\033[1m' plain=$'\033[0m'; fi

step() { printf '\n%s== %s%s\n' "$bold" "$*" "$plain"; }

# Prints a command and at most $1 lines of what it says.
show() {
  local most=$1
  shift
  printf '\n%s$' "$bold"
  for word in "$@"; do
    case $word in *' '*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
  done
  printf '%s\n' "$plain"
  "$@" 2>&1 | awk -v most="$most" '
    NR <= most { print }
    END { if (NR > most) printf "… and %d lines more\n", NR - most }'
}

# The page with most claims among those that fit on a screen; by name where several do.
pick() {
  git ls-files -z wiki/concepts wiki/entities | while IFS= read -r -d '' path; do
    if [ "$(wc -l < "$path")" -le 28 ]; then
      printf '%04d\t%s\n' "$(grep -c ' ^c-[0-9a-z]*$' "$path" || true)" "$path"
    fi
  done | LC_ALL=C sort -t "$(printf '\t')" -k1,1r -k2 | awk -F '\t' 'NR == 1 { print $2 }'
}

rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
git init --quiet
# Only this repository is told who commits, and that nothing is signed or hooked.
git config user.name "Demo"
git config user.email "demo@localhost"
git config commit.gpgSign false
git config core.hooksPath .git/hooks

step "A wiki in an empty git repository"
show 20 wiki init

step "Documents about this project become pages, one commit each"
cp "$here"/raw/*.md raw/
show 20 wiki ingest raw/ --model offline
show 20 wiki status

step "What one commit says"
show 20 wiki log -n 4
show 40 git --no-pager log -1 --format=%B

step "A page: a lead, claims, and under each claim the words it rests on"
page=$(pick)
show 50 wiki show "$page"

step "The last operation taken back, and back again"
show 8 wiki undo
show 4 wiki undo

step "Checked without a model, and drawn"
show 12 wiki lint --fail-on never
show 20 wiki graph

step "Where to look next"
cat <<END
The wiki is in $scratch
  wiki/index.md      every page; wiki/overview.md counts and links them (Obsidian opens the folder)
  graph/graph.html   the wiki as a picture, for any browser
  git log -p wiki/   the history of memory
  $bin/wiki --help   all commands
  README.md          the same tour with explanations; docs/ has the details
END
