SELECT program_version, substr(vcs_revision, 1, 12) AS revision, vcs_modified AS modified, go_version, os, arch, kernel, cpu, cores, memory_bytes >> 30 AS memory_gib,
       count(*) AS cells, round(sum(cpu_seconds)) AS processor_seconds, min(started_at) AS first, max(started_at) AS last
FROM results JOIN environments e ON e.id = environment_id GROUP BY e.id ORDER BY first
