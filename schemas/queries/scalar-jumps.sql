-- The greatest changes of a scalar from one point to the next
-- :tag = * -- pattern of GLOB over tags
-- :n = 20 -- how many
WITH s AS (SELECT run, tag, step, value, lag(value) OVER w AS before, lag(step) OVER w AS from_step FROM scalar WHERE superseded = 0 AND tag GLOB :tag AND value IS NOT NULL
           WINDOW w AS (PARTITION BY run, tag ORDER BY step))
SELECT run, tag, from_step, step, before, value AS after, value - before AS change FROM s WHERE before IS NOT NULL ORDER BY abs(value - before) DESC, run, tag, step LIMIT :n;
