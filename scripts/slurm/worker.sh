#!/usr/bin/env bash
# A worker of a bench run as a job of Slurm: sbatch --array=1-64 worker.sh --token-file FILE 'nats://lab1:4222?fingerprint=...'
# The arguments are those of `bench worker`. Each task of the array is one worker with the processors and the memory of its
# job. A minute before the time of the job is over the worker gives its cells back, and ends. BENCH names another program.
#SBATCH --job-name=bench-worker
#SBATCH --signal=B:TERM@60
set -euo pipefail
memory=()
if [ -n "${SLURM_MEM_PER_NODE:-}" ]; then memory=(--memory "${SLURM_MEM_PER_NODE}MiB"); fi
exec "${BENCH:-bench}" worker --jobs "${SLURM_CPUS_PER_TASK:-1}" "${memory[@]}" "$@"
