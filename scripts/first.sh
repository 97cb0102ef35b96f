#!/bin/sh
# The first minutes, which `make run` takes: the reference run, a proof of it on this machine, four classic methods
# beside it, and who leads. What the steps print goes to run.log; data sets that cannot be fetched are left out.
# Takes the program, the budget of the four methods, and more flags of their run.
set -u
bench=$1
budget=$2
shift 2
: >run.log

say() { printf '%s\n' "$*"; }
# step CODES COMMAND.. runs a command into run.log and ends the script for any other exit code.
step() {
  codes=$1
  shift
  printf '\n$ %s\n' "$*" >>run.log
  "$@" >>run.log 2>&1
  code=$?
  case " $codes " in *" $code "*) return ;; esac
  tail -n 3 run.log >&2
  say "this failed (exit code $code): $*; run.log has the rest" >&2
  exit "$code"
}

step 0 "$bench" import reference
say "Stored: the reference run, with the six methods of a published table on fifteen data sets, 20 splits each."
left=bankmarketing
step "0 1 3" "$bench" data fetch --protocol table2
if [ "$code" -ne 0 ]; then
  left=$left,pima,occupancy
  say "Some data could not be fetched, and is left out: \`bench data fetch --protocol table2\` tries again."
fi
step "0 3" "$bench" verify --protocol table2 --methods paper --datasets wine,sonar,newthyroid,heart,bupa,iono --sample 12
if [ "$code" -eq 0 ]; then
  say "Run again on this machine: 12 of 12 cells are equal, bit for bit."
else
  say "Run again on this machine: not all of 12 cells are equal; run.log lists them."
fi
say "Running Logistic, LDA, KNN and CART beside them, for $budget at most ..."
"$bench" run --protocol table2 --methods classic --exclude "$left" --budget "$budget" "$@" >>run.log
code=$?
case $code in 0 | 2 | 3) ;; *) exit "$code" ;; esac
step 0 "$bench" report html --protocol table2 --methods paper,classic -o report.html
say
"$bench" report leaderboard --protocol table2 --methods paper,classic --exclude "$left" || exit
cat <<EOF

What to type next (bench is $bench; report.html has everything on one page):
  bench compare GBRFF2 LGBM                     is one better than the other, and how sure is that?
  bench methods new Mine --lang python          a method of your own, 20 lines that run
  bench query "SELECT * FROM results LIMIT 5"   the results in SQL
  bench run --all --dry-run                     everything: how long it would take
EOF
