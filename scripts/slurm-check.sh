#!/usr/bin/env bash
# A run whose cells are computed by a job array of a real Slurm with two nodes, beside the same run of one process: the
# results must be the same. One worker is cancelled on the way. Needs root, Debian's slurm-wlm and munge, and a folder with
# start.sh DIR and stop.sh DIR that start and end such a Slurm (BENCH_SLURM).
set -euo pipefail
cd "$(dirname "$0")/.."
slurm=${BENCH_SLURM:-$PWD/../shared/slurm}
dir=$(mktemp -d)
bench=$dir/bench
run=()
finish() {
  [ "${#run[@]}" = 0 ] || kill "${run[@]}" 2>/dev/null || true
  if [ -d "$dir/slurm" ]; then "$slurm/stop.sh" "$dir/slurm" || true; fi
  for _ in $(seq 50); do ! rm -rf "$dir" 2>/dev/null || break; sleep 0.2; done # the daemons write until they have ended
}
trap finish EXIT
go build -o "$bench" ./cmd/bench
export BENCH_DATA=$dir/data BENCH_MIRROR='' BENCH=$bench
work=(run --methods CART,GBRFF2,RF,LGBM --datasets swiss,balance --splits 20)
"$bench" "${work[@]}" --db "$dir/alone.db" 2>"$dir/alone.txt" || { cat "$dir/alone.txt"; exit 1; }

export SLURM_TEST_PORT=${SLURM_TEST_PORT:-16917}
"$slurm/start.sh" "$dir/slurm" >"$dir/slurm.txt" 2>&1 || { cat "$dir/slurm.txt"; exit 1; }
export SLURM_CONF=$dir/slurm/slurm.conf

(umask 077; head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$dir/token")
"$bench" "${work[@]}" --db "$dir/many.db" --jobs 0 --listen 0.0.0.0:0 --token-file "$dir/token" 2>"$dir/many.txt" &
run=($!)
until at=$(sed -n "s/^workers: .* '\(nats:.*\)'\$/\1/p" "$dir/many.txt") && [ -n "$at" ]; do
  kill -0 "${run[0]}" || { cat "$dir/many.txt"; exit 1; }
  sleep 0.2
done
job=$(sbatch --parsable --array=1-3 --mem=1000M --output="$dir/worker-%a.txt" scripts/slurm/worker.sh --token-file "$dir/token" "$at")
until [ "$(grep -c 'worker .* has come' "$dir/many.txt")" -ge 2 ] || ! kill -0 "${run[0]}" 2>/dev/null; do sleep 0.2; done
squeue -j "$job"
scancel "${job}_1" || true # which gives its cells back; the third task of the array comes in its place
if ! wait "${run[0]}"; then cat "$dir"/many.txt "$dir"/worker-*.txt; exit 1; fi
run=()
scancel "$job" 2>/dev/null || true # tasks that have not begun
grep 'worker .* has come' "$dir/many.txt" | sort -u
[ "$(grep -c 'worker .* has come' "$dir/many.txt")" -ge 2 ] || { echo "slurm check: fewer than two workers came"; cat "$dir"/many.txt "$dir"/worker-*.txt; exit 1; }
"$bench" diff "$dir/alone.db" "$dir/many.db"
echo "slurm check: the results of the job array are those of one process"
