-- First, last, least and greatest value of each scalar
-- :run = * -- pattern of GLOB over run names
SELECT DISTINCT run, tag, count(*) OVER w AS points, first_value(value) OVER w AS first, last_value(value) OVER w AS last, min(value) OVER w AS least, max(value) OVER w AS greatest
  FROM scalar WHERE superseded = 0 AND run GLOB :run
WINDOW w AS (PARTITION BY run, tag ORDER BY step ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) ORDER BY run, tag;
