#!/bin/sh
# check.sh BRANCH: checks what a branch asks of this commons, and commits what became of it to the branch
# that is checked out. The files of the branch are never checked out; bench reads them from git.
# check.sh --record FOLDER: commits the outcome of a check that ran elsewhere.
# BENCH names the program; without it the bench of the PATH runs.
set -eu
cd "$(dirname "$0")"
outcome=
record() { # an outcome has plain files alone, of one entry or of one refused version
    if [ -n "$(find "$1" ! -type f ! -type d)" ]; then
        echo "check.sh: $1 has something that is no file" >&2; exit 2
    fi
    for at in "$1"/methods/* "$1"/refused/*; do
        [ -e "$at" ] || continue
        name=${at##*/}
        case $at in
        */methods/*) case $name in *[!A-Za-z0-9_-]*|[!A-Za-z]*) echo "check.sh: bad name $name" >&2; exit 2 ;; esac
            rm -rf "methods/$name"; mkdir -p methods; cp -R "$at" methods/; git add -A -- "methods/$name" ;;
        *) case $name in *[!0-9a-f.json]*|[!0-9a-f]*) echo "check.sh: bad name $name" >&2; exit 2 ;; esac
            mkdir -p refused; cp "$at" refused/; git add -- "refused/$name" ;;
        esac
        case $at in */methods/*) said="$name enters" ;; *) said="A version is refused" ;; esac
    done
    git commit -q -m "$said"
    git log -1 --stat --format='%h %s'
}
if [ "${1:-}" = --record ]; then
    said=
    record "$2"
    exit
fi
case ${1:-} in ''|-*) echo "check.sh BRANCH, or check.sh --record FOLDER" >&2; exit 2 ;; esac
bench=$(command -v "${BENCH:-bench}") || { echo "check.sh: bench is not there; set BENCH" >&2; exit 2; }
want=$(sed -n 's/^sha256 = "\(.*\)".*/\1/p' commons.toml)
have=$(sha256sum "$bench" | cut -d' ' -f1)
if [ "$want" != "$have" ]; then
    echo "check.sh: $bench has SHA-256 $have; commons.toml asks for $want" >&2; exit 2
fi
outcome=$(mktemp -d)
trap 'rm -rf "$outcome"' EXIT
code=0
"$bench" commons check . --base HEAD --head "$1" -o "$outcome/of" || code=$?
if [ -n "${OUTCOME:-}" ]; then # a continuous run, which commits nothing itself
    [ ! -d "$outcome/of" ] || cp -R "$outcome/of" "$OUTCOME"
elif [ -d "$outcome/of" ]; then
    record "$outcome/of"
fi
exit $code
