-- Processor seconds by set and method; the last row and column are sums.
WITH s AS (SELECT dataset, method, sum(cpu_seconds) AS s FROM results WHERE protocol = 'table2' AND status = 'ok'
           AND method IN ('BMKR', 'GFC', 'PBRFF', 'GBRFF1', 'LGBM', 'GBRFF2') GROUP BY dataset, method)
SELECT dataset,
       round(sum(s) FILTER (WHERE method = 'BMKR')) AS BMKR, round(sum(s) FILTER (WHERE method = 'GFC')) AS GFC,
       round(sum(s) FILTER (WHERE method = 'PBRFF')) AS PBRFF, round(sum(s) FILTER (WHERE method = 'GBRFF1')) AS GBRFF1,
       round(sum(s) FILTER (WHERE method = 'LGBM')) AS LGBM, round(sum(s) FILTER (WHERE method = 'GBRFF2')) AS GBRFF2, round(sum(s)) AS "all"
FROM (SELECT 1 AS place, * FROM s UNION ALL SELECT 2, 'all', method, s FROM s)
GROUP BY place, dataset ORDER BY place, "all"
