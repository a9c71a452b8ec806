/* Growing heap arrays. */
#include "lib/base/vec.h"

#include <stdint.h>
#include <stdlib.h>

int tf_vec_reserve(void **items, size_t *cap, size_t need, size_t size)
{
	if (need <= *cap)
		return 0;
	size_t wider = *cap + *cap / 2;
	if (wider < need)
		wider = need;
	if (wider < 16)
		wider = 16;
	if (wider > SIZE_MAX / size)
		return -1;
	void *grown = realloc(*items, wider * size);
	if (!grown)
		return -1;
	*items = grown;
	*cap = wider;
	return 0;
}
