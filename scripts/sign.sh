#!/bin/sh
# Signs FOLDER/SHA256SUMS with the secret key of minisign in the file KEY, and writes the public key beside it:
# scripts/sign.sh KEY FOLDER COMMENT. The comment is signed, too.
set -eu
minisign -S -s "$1" -m "$2/SHA256SUMS" -t "$3"
minisign -R -f -s "$1" -p "$2/minisign.pub"
