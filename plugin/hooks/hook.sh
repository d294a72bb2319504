#!/bin/sh
# Hands an event of a session to `wiki hook`. Outside of a wiki it costs two milliseconds.
# The exit code is always 0: another one, of an older `wiki` say, would stop the session's work.
# A host that hands over no arguments names no event.
[ -n "$1" ] || exit 0
if ! command -v wiki >/dev/null 2>&1; then
  # Said once: the folder is the plugin's own, and goes with it.
  said=${CLAUDE_PLUGIN_DATA:-/dev/null}/told-to-install
  if [ "$1" = SessionStart ] && mkdir -p "${said%/*}" && mkdir "$said"; then
    printf '%s\n' '{"systemMessage": "The plugin llmwiki needs the program `wiki`, which is not on the PATH, and does nothing without it. Install it from the repository of the plugin with `uv tool install git+URL` or `pipx install git+URL`. This is said once."}'
  fi 2>/dev/null
  exit 0
fi
folder=$PWD
while [ ! -e "$folder/.llmwiki.toml" ]; do
  [ -n "$folder" ] || exit 0
  folder=${folder%/*}
done
wiki hook "$1"
exit 0
