#!/bin/sh
# Prints the changes of changelog/unreleased as the list of a release in CHANGELOG.md: what changed, what is new, what
# was mended.
cd "$(dirname "$0")/../changelog/unreleased" || exit
for kind in Change Enhancement Bugfix; do
  for file in *; do
    title=$(sed -n "1s/^$kind: //p" "$file")
    [ -z "$title" ] || { echo "- **$title.**" && sed -n '2,${/./s/^/  /p;}' "$file"; }
  done
done
