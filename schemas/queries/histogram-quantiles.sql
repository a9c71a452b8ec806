-- Median and tails of histograms, step by step
-- :tag = * -- pattern of GLOB over tags
-- :run = * -- pattern of GLOB over run names
SELECT run, tag, step, histogram_quantile(buckets, 0.05) AS p05, histogram_quantile(buckets, 0.5) AS median, histogram_quantile(buckets, 0.95) AS p95, count
  FROM histogram WHERE superseded = 0 AND tag GLOB :tag AND run GLOB :run ORDER BY run, tag, step;
