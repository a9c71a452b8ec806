/* Student's t distribution for whole degrees of freedom, by its finite series (Abramowitz and Stegun 26.7.3 and 26.7.4). */
#include <math.h>

#include "lib/analyze/significance.h"

#define HALF_PI 1.57079632679489661923

/* P(|T| <= |t|). */
static double within(double t, int64_t df)
{
	double angle = atan(fabs(t) / sqrt((double)df)), c = cos(angle), term = df % 2 ? c : 1, sum = df == 1 ? 0 : term;

	for (int64_t k = df % 2 ? 3 : 2; k < df; k += 2) {
		term *= c * c * (double)(k - 1) / (double)k;
		sum += term;
	}
	return df % 2 ? (angle + sin(angle) * sum) / HALF_PI : sin(angle) * sum;
}

double tf_student_t_upper(double t, int64_t df)
{
	double half = within(t, df) / 2;
	return t > 0 ? fmax(0, 0.5 - half) : 0.5 + half;
}

double tf_student_t_quantile(double p, int64_t df)
{
	double low = 0, high = 1;

	while (tf_student_t_upper(high, df) > p && high < 1e12)
		high *= 2;
	for (int i = 0; i < 200 && low < high; i++) {
		double middle = low + (high - low) / 2;
		if (middle == low || middle == high)
			break;
		if (tf_student_t_upper(middle, df) > p)
			low = middle;
		else
			high = middle;
	}
	return high;
}
