-- Scalars that became NaN or infinite, and the first step of each
SELECT run, tag, nonfinite, count(*) AS points, min(step) AS first_step FROM scalar WHERE nonfinite IS NOT NULL GROUP BY run, tag, nonfinite ORDER BY run, tag;
