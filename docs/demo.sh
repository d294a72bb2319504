#!/usr/bin/env bash
# A scratch wiki of a rowing club, from the documents in docs/demo/: no key, no network.
# usage: demo.sh BIN_DIR SCRATCH_DIR      (SCRATCH_DIR is removed and made anew)
set -euo pipefail
bin=$1 scratch=$2
here=$(cd "$(dirname "$0")/.." && pwd)
export PATH="$bin:$PATH"

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\033[1m' plain=$'\033[0m'; fi

step() { printf '\n%s== %s%s\n' "$bold" "$*" "$plain"; }

# Prints a command and at most $1 lines of what it says; `…` stands for the rest.
show() {
  local most=$1
  shift
  printf '%s$' "$bold"
  for word in "$@"; do
    case $word in *' '*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
  done
  printf '%s\n' "$plain"
  "$@" 2>&1 | awk -v most="$most" '
    NR <= most && most > 1 { print }
    NR == 1 { first = $0 }
    END {
      if (most == 1) print first (NR > 1 ? " …" : "")
      else if (NR > most) print "…"
    }'
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
show 1 wiki init

step "Documents become pages, one commit each, here without any model"
cp "$here"/docs/demo/rowing-club.md "$here"/docs/demo/boats.md raw/
show 2 wiki ingest raw/ --model offline

step "A page: the document's own words, and under each claim the line it rests on"
show 5 wiki show "Rowing club"

step "A word, found with its line; a question, answered with the quote that says so"
show 3 wiki search shutter
show 7 wiki query "When was the eight built?" --model offline

step "What no rule can read, the coding agent you work with reads: it gets a job …"
cp "$here"/docs/demo/minutes.md raw/
show 1 wiki ingest raw/minutes.md --prepare

step "… and what it writes is checked: an invented quote is refused, the rest is one commit"
show 8 wiki apply "$here"/docs/demo/minutes.json --model the-agent

step "A page that it made: of one subject, linked to the others"
show 8 wiki show Dinghy

step "The document changes, and the memory with it"
sed -i.before 's/40 euros/45 euros/' raw/rowing-club.md && rm raw/rowing-club.md.before
show 1 wiki ingest raw/rowing-club.md --model offline
show 4 wiki query "What is the yearly fee of the rowing club?" --model offline

step "Taken back, and brought back: every operation can be"
show 1 wiki undo
show 4 wiki query "What is the yearly fee of the rowing club?" --model offline
show 1 wiki undo

step "Checked without a model, and drawn"
show 2 wiki lint
show 3 wiki graph

step "Where to look next"
cat <<END
The wiki is in $scratch
  wiki/index.md      every page (Obsidian opens the folder); git log -p wiki/ is its history
  graph/graph.html   the wiki as a picture, for any browser
  $bin/wiki help     all commands; README.md explains them
END
