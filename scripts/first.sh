#!/bin/sh
# The first minutes, which `make run` takes, without a network: the reference run, a part of it computed again on this
# machine, a method that the reference run lacks, and its place. What the steps print goes to run.log. Takes the program.
set -u
bench=$1
: >run.log

say() { printf '%s\n' "$*"; }
# follow shows the seconds of a step and the last line of run.log on a terminal, until it is ended or this script is.
follow() {
  seconds=0
  while sleep 1 && kill -0 $$ 2>/dev/null; do
    seconds=$((seconds + 1))
    printf '\r\033[K%ds: %.70s' "$seconds" "$(tail -n 1 run.log)" >&2
  done
}
# step CODES COMMAND.. runs a command into run.log and ends the script for any other exit code.
done=0
step() {
  codes=$1
  shift
  done=$((done + 1))
  say "step $done of 4: bench $2" >&2
  printf '\n$ %s\n' "$*" >>run.log
  follower=
  [ ! -t 2 ] || { follow & follower=$!; }
  "$@" >>run.log 2>&1
  code=$?
  [ -z "$follower" ] || { kill "$follower" && printf '\r\033[K' >&2; }
  case " $codes " in *" $code "*) return ;; esac
  tail -n 3 run.log >&2
  say "this failed (exit code $code): $*; run.log has the rest" >&2
  exit "$code"
}

step 0 "$bench" import reference
say "Stored the reference run: $(sed -n 's/^reference: //p' run.log)."
step "0 3" "$bench" verify --methods paper --datasets wine,sonar,newthyroid,heart,bupa,iono --splits 2 --sample 100%
say "Computed again on this machine: $(tail -n 1 run.log)."

# A method of one's own: where there is NumPy, the one that `bench methods new` writes; else a variant of CART, which
# takes long on the set of 279 features. The sets are those of suite-small that the program brings.
mine=CART-golearn without=arrhythmia why="; ${BENCH_PYTHON:-python3} has no NumPy, which plugins/mine.py would need"
if "${BENCH_PYTHON:-python3}" -c 'import numpy' 2>/dev/null; then
  mine=Mine without= why=
  [ -e plugins/mine.py ] || "$bench" methods new Mine --lang python >>run.log 2>&1 || exit
fi
step "0 3" "$bench" run --protocol suite-small --methods "$mine" ${without:+--exclude "$without"}
say "Run on the sets of suite-small that the program brings: $mine, which the reference run lacks$why."
step 0 "$bench" report html --protocol suite-small --focus "$mine" -o report.html
say
"$bench" report leaderboard --protocol suite-small --focus "$mine" --short || exit
say
"$bench" compare "$mine" LGBM --protocol suite-small --short 2>>run.log || exit
say
say "What to type next (bench is $bench; report.html has everything on one page):"
next() { printf '  %-45s %s\n' "$@"; }
next "bench compare $mine LGBM GBRFF2 XRFM" "against methods that you name" \
  "bench methods new Other --from my.py:Class" "a class of yours with fit and predict" \
  "bench report why wine $mine" "where a number comes from" \
  'bench query "SELECT * FROM results LIMIT 5"' "the results in SQL"
