/* Kernel names that mean matrix units, and the text in which CUPTI and ROCm records describe a launch. */
#include "lib/analyze/kernel_names.h"

#include <math.h>

#include "lib/analyze/classify.h"

enum tf_vendor tf_device_vendor(const struct tf_trace *t, const struct tf_plane *p)
{
	uint32_t vendor = tf_stat_text(t, p->stats, TF_NAME_device_vendor);
	struct tf_bytes name = tf_strtab_bytes(&t->strings, vendor);

	if (tf_bytes_contain(name, "nvidia"))
		return TF_VENDOR_NVIDIA;
	return tf_bytes_contain(name, "amd") || tf_bytes_contain(name, "advanced micro") ? TF_VENDOR_AMD
											 : TF_VENDOR_UNKNOWN;
}

bool tf_is_tensor_core(struct tf_bytes name, enum tf_vendor vendor)
{
	static const char *const nvidia[] = {
		"16816",
		"c1688",
		"conv1x1",
		"conv2d_c1_k1",
		"dgrad_1x1_stride_2x2",
		"direct_group",
		"first_layer_wgrad_kernel",
		"h1688",
		"h884",
		"hmma",
		"i16832",
		"i8816",
		"s884",
		"s1688",
		"xmma_gemm",
		"xmma_implicit_gemm",
		"xmma_sparse_conv",
		"xmma_sparse_gemm",
		"xmma_warp_specialized_implicit_gemm",
		"nvjet",
		"tensorop",
	};
	/* Tensile writes the instruction's shape; XLA's and CK's matrix products and attention are built on them. */
	static const char *const amd[] = {
		"_MI16x16", "_MI32x32", "_MI4x4", "mfma", "wmma", "gemm_fusion_dot", "FmhaFwdKernel",
		"FmhaBwdDQDKDVKernel", "ck_tile::Gemm",
	};

	return (vendor != TF_VENDOR_AMD && tf_bytes_contain_any(name, nvidia, sizeof nvidia / sizeof nvidia[0]))
	       || (vendor != TF_VENDOR_NVIDIA && tf_bytes_contain_any(name, amd, sizeof amd / sizeof amd[0]));
}

double tf_occupancy(double pct)
{
	return pct > 0 && pct <= 100 ? pct / 100 : NAN;
}

/* "x,y,z", all three whole and not negative. */
static bool three_numbers(char *text, int64_t n[3])
{
	int64_t found[3];

	for (int i = 0; i < 3; i++) {
		char *comma = strchr(text, ',');
		if ((comma == NULL) != (i == 2))
			return false;
		if (comma)
			*comma = '\0';
		if (!tf_parse_i64(text, &found[i]) || found[i] < 0)
			return false;
		text += strlen(text) + 1; /* behind the comma; after the last number it is not read */
	}
	memcpy(n, found, sizeof found);
	return true;
}

static void read_token(char *token, struct tf_launch *l)
{
	char *value = strchr(token, ':');
	int64_t number;
	double real;

	if (!value || strchr(value + 1, ':'))
		return;
	*value++ = '\0';
	if (strcmp(token, "grid") == 0)
		l->has_grid |= three_numbers(value, l->grid);
	else if (strcmp(token, "block") == 0)
		l->has_block |= three_numbers(value, l->block);
	else if (strcmp(token, "occ_pct") == 0 && tf_parse_double(value, &real))
		l->occupancy = tf_occupancy(real);
	else if (tf_parse_i64(value, &number) && number >= 0) {
		if (strcmp(token, "regs") == 0)
			l->registers = number;
		else if (strcmp(token, "static_shared") == 0 || strcmp(token, "shm") == 0
			 || strcmp(token, "group_mem") == 0)
			l->static_bytes = number;
		else if (strcmp(token, "dynamic_shared") == 0)
			l->dynamic_bytes = number;
	}
}

struct tf_launch tf_launch_parse(struct tf_bytes text)
{
	struct tf_launch l = {.registers = TF_NONE,
			      .static_bytes = TF_NONE,
			      .dynamic_bytes = TF_NONE,
			      .grid = {1, 1, 1},
			      .block = {1, 1, 1},
			      .occupancy = NAN};
	char token[96];

	if (text.len) /* memory that details leave out is none */
		l.static_bytes = l.dynamic_bytes = 0;
	for (size_t i = 0; i < text.len; i++) {
		size_t begin = i;
		while (i < text.len && text.data[i] != ' ' && text.data[i] != '\n')
			i++;
		if (i == begin || i - begin >= sizeof token)
			continue;
		memcpy(token, text.data + begin, i - begin);
		token[i - begin] = '\0';
		read_token(token, &l);
	}
	return l;
}
