-- Means that differ from the published ones by more than two standard errors of the difference, as if
-- the two were independent (they share their splits, so that the true error is smaller).
WITH m AS (SELECT dataset, method, count(*) AS n, 100 * avg(accuracy) AS mean, 100 * stddev_pop(accuracy) AS sd
           FROM results WHERE protocol = 'table2' AND status = 'ok' GROUP BY dataset, method),
     d AS (SELECT m.dataset, m.method, m.mean, m.sd, p.mean AS printed, p.std AS printed_sd, m.mean - p.mean AS difference,
                  (m.mean - p.mean) / sqrt((m.sd * m.sd + p.std * p.std) / m.n) AS errors
           FROM m JOIN published p ON p.dataset = m.dataset AND p.method = m.method AND p.source = 'gautheron2020-table2')
SELECT dataset, method, round(mean, 1) AS here, round(sd, 1) AS sd, printed, printed_sd, round(difference, 1) AS difference, round(errors, 1) AS errors
FROM d WHERE abs(errors) > 2 ORDER BY abs(errors) DESC
