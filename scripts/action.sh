#!/usr/bin/env bash
# The step of action.yml: runs `bench diff` or `bench compare` with the words of BENCH_ARGUMENTS (no shell reads them),
# shows what it prints on the page of the job (GITHUB_STEP_SUMMARY), and ends with its exit code, so that --fail-if fails
# the job.
set -uo pipefail
read -ra words <<<"${BENCH_ARGUMENTS:-}"
case ${words[0]:-} in diff | compare) ;; *)
  echo "::error title=bench::arguments begin with \"${words[0]:-}\"; write diff or compare, and what follows"
  exit 2
  ;;
esac
command -v bench >/dev/null || {
  echo "::error title=bench::there is no command bench; install it in a step before"
  exit 2
}
summary=${GITHUB_STEP_SUMMARY:-/dev/null}
said=$(mktemp)
trap 'rm -f "$said"' EXIT
printf '%s\n' "bench ${words[*]}" '```text' >>"$summary"
bench "${words[@]}" 2>"$said" | tee -a "$summary"
code=${PIPESTATUS[0]}
tee -a "$summary" <"$said" >&2
printf '%s\n' '```' >>"$summary"
[ "$code" = 0 ] || echo "::error title=bench ${words[0]}, exit code $code::$(tail -n 1 "$said")"
exit "$code"
