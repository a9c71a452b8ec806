/* What plugins and graphs say: hparams, custom scalars, meshes, nodes; each by its own message, malformed ones too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "lib/decode/graph_def.h"
#include "lib/decode/hparams.h"
#include "lib/decode/plugin_data.h"
#include "tests/unit/support_proto.h"
#include "tests/unit/support_sink.h"

enum reader { HPARAMS, LAYOUT, MESH, GRAPH, META_GRAPH, FUNCTIONS };

/* Reads the message, which is released; the sink must be told `want`. Returns whether the message is whole. */
static bool reads(enum reader reader, struct tf_buf *message, const char *want)
{
	struct tf_buf log = {0};
	const struct tf_row_sink sink = sk_sink(&log);
	struct tf_ledger_file file = {.first_bad_offset = TF_NONE};
	struct tf_values v = {.sink = &sink, .file = &file};
	struct tf_point at = {.tag = tf_bytes_of("t")};
	struct tf_bytes bytes = pb_view(message);
	struct tf_error err = {0};
	bool whole = true;
	int rc = reader == HPARAMS ? tf_read_hparams(&v, &at, bytes, &err)
		 : reader == LAYOUT ? tf_read_layout(&v, &at, bytes, &whole, &err)
		 : reader == MESH ? tf_read_mesh(&v, &at, bytes, &err)
		 : reader == GRAPH ? tf_read_graph(&v, &at, "graph", bytes, &whole, &err)
		 : reader == META_GRAPH ? tf_read_meta_graph(&v, &at, bytes, &whole, &err)
					: tf_read_function_graphs(&v, &at, bytes, &whole, &err);

	assert_int_equal(rc, 0);
	tf_buf_text(&log, "");
	assert_string_equal(log.data, want);
	tf_buf_release(&log);
	tf_buf_release(message);
	tf_values_release(&v);
	return whole;
}

/* A message whose one field holds the other message, which is released. */
static struct tf_buf within(uint32_t field, struct tf_buf inner)
{
	struct tf_buf b = {0};
	pb_message(&b, field, &inner);
	return b;
}

static struct tf_buf texts(size_t n, const uint32_t *fields, const char *const *values)
{
	struct tf_buf b = {0};
	for (size_t i = 0; i < n; i++)
		pb_text(&b, fields[i], values[i]);
	return b;
}

static void an_experiment_tells_what_is_searched(void **state)
{
	(void)state;
	struct tf_buf e = {0}, interval = {0}, list = {0}, v = {0}, name = {0}, info = {0};
	pb_text(&e, 6, "sweep");
	pb_text(&e, 2, "me");
	pb_double(&e, 3, 12);
	pb_text(&info, 1, "lr");
	pb_text(&info, 2, "rate");
	pb_varint(&info, 4, 3);
	pb_double(&interval, 2, 0.5); /* the least is 0, which is not written */
	pb_message(&info, 6, &interval);
	pb_message(&e, 4, &info);
	pb_text(&info, 1, "opt");
	pb_varint(&info, 4, 1);
	pb_text(&v, 3, "a\"b");
	pb_message(&list, 1, &v);
	pb_double(&v, 2, 2.5);
	pb_message(&list, 1, &v);
	pb_varint(&v, 4, 1);
	pb_message(&list, 1, &v);
	pb_varint(&v, 1, 0);
	pb_message(&list, 1, &v);
	pb_message(&info, 5, &list);
	pb_message(&e, 4, &info);
	pb_text(&name, 1, "validation");
	pb_text(&name, 2, "acc");
	pb_message(&info, 1, &name);
	pb_varint(&info, 5, 2);
	pb_message(&e, 5, &info);
	struct tf_buf content = within(2, e);
	reads(HPARAMS, &content,
	      "experiment name='sweep' user='me' created=12\n"
	      "hparam_info name='lr' display='rate' number - min=0 max=0.5\n"
	      "hparam_info name='opt' string [\"a\\\"b\",2.5,true,null]\n"
	      "metric_info group='validation' tag='acc' validation\n");
}

static void a_trial_begins_and_ends(void **state)
{
	(void)state;
	static const char *const status[] = {"", " success", " failure", " running", ""};
	struct tf_buf start = {0};
	pb_text(&start, 2, "gs://m");
	pb_text(&start, 4, "g");
	pb_double(&start, 5, 100);
	struct tf_buf content = within(3, start);
	reads(HPARAMS, &content, "trial group='g' model='gs://m' at=100\n");
	for (unsigned i = 0; i < 5; i++) {
		struct tf_buf end = {0}, want = {0};
		pb_varint(&end, 1, i);
		pb_double(&end, 2, 130);
		content = within(4, end);
		tf_buf_printf(&want, "trial_end at=130%s\n", status[i]);
		reads(HPARAMS, &content, want.data);
		tf_buf_release(&want);
	}
}

static void an_unset_time_or_number_of_an_enumeration_is_unknown(void **state)
{
	(void)state;
	struct tf_buf e = {0}, info = {0};
	pb_varint(&info, 4, 1000000);
	pb_message(&e, 4, &info);
	pb_varint(&info, 5, UINT64_MAX);
	pb_message(&e, 5, &info);
	struct tf_buf content = within(2, e);
	reads(HPARAMS, &content, "experiment\nhparam_info - -\nmetric_info -\n");
}

static void every_curve_of_a_layout_is_a_row(void **state)
{
	(void)state;
	struct tf_buf lines = texts(2, (const uint32_t[]){1, 1}, (const char *const[]){"loss", "acc/.*"});
	struct tf_buf series = texts(3, (const uint32_t[]){1, 2, 3}, (const char *const[]){"v", "lo", "hi"});
	struct tf_buf second = texts(1, (const uint32_t[]){1}, (const char *const[]){"alone"});
	struct tf_buf margin = within(1, series), chart = {0}, category = {0};
	pb_message(&margin, 1, &second);
	pb_text(&category, 1, "C");
	pb_text(&chart, 1, "one");
	pb_message(&chart, 2, &lines);
	pb_message(&category, 2, &chart);
	pb_message(&chart, 3, &margin);
	pb_message(&category, 2, &chart);
	struct tf_buf layout = within(2, category);
	assert_true(reads(LAYOUT, &layout,
			  "chart category='C' title='one' value='loss' multiline\n"
			  "chart category='C' title='one' value='acc/.*' multiline\n"
			  "chart category='C' value='v' lower='lo' upper='hi' margin\n"
			  "chart category='C' value='alone' margin\n"));
}

static void what_is_no_layout_gives_no_rows(void **state)
{
	(void)state;
	struct tf_buf b = {0};
	tf_buf_text(&b, "not a layout");
	assert_false(reads(LAYOUT, &b, ""));
}

static void a_mesh_tag_tells_its_content(void **state)
{
	(void)state;
	static const char *const contents[] = {"-", "vertex", "face", "color", "-"};
	for (unsigned i = 0; i < 5; i++) {
		struct tf_buf b = texts(2, (const uint32_t[]){2, 5}, (const char *const[]){"m", "{}"}), want = {0};
		pb_varint(&b, 3, i);
		tf_buf_printf(&want, "mesh name='m' config='{}' %s\n", contents[i]);
		reads(MESH, &b, want.data);
		tf_buf_release(&want);
	}
}

/* TensorShapeProto of these sizes. */
static struct tf_buf shape_of(size_t rank, const int64_t *sizes)
{
	struct tf_buf b = {0}, dim = {0};
	for (size_t i = 0; i < rank; i++) {
		if (sizes[i])
			pb_varint(&dim, 1, (uint64_t)sizes[i]);
		pb_bytes(&b, 2, dim.len ? dim.data : "", dim.len);
		tf_buf_release(&dim);
	}
	return b;
}

/* An entry of NodeDef.attr: the key, and an AttrValue with one field, which is released. */
static struct tf_buf attribute(const char *key, uint32_t field, struct tf_buf content)
{
	struct tf_buf entry = {0}, value = within(field, content);
	pb_text(&entry, 1, key);
	pb_message(&entry, 2, &value);
	return entry;
}

static struct tf_buf node_of(const char *name, const char *op)
{
	return texts(2, (const uint32_t[]){1, 2}, (const char *const[]){name, op});
}

static void a_node_has_op_device_inputs_and_shapes_of_outputs(void **state)
{
	(void)state;
	static const int64_t sizes[] = {-1, 64, 0};
	struct tf_buf node = node_of("d/MatMul", "MatMul"), list = {0}, unknown = {0}, shape = shape_of(3, sizes);
	pb_text(&node, 3, "x");
	pb_text(&node, 3, "^y\n");
	pb_text(&node, 4, "/device:GPU:0");
	pb_message(&list, 7, &shape);
	pb_varint(&unknown, 3, 1);
	pb_message(&list, 7, &unknown);
	pb_bytes(&list, 7, "", 0);
	struct tf_buf own = attribute("shape", 7, shape_of(1, sizes + 1)), all = attribute("_output_shapes", 1, list),
		      again = attribute("shape", 7, shape_of(0, sizes));
	pb_message(&node, 5, &own);
	pb_message(&node, 5, &all); /* counts, wherever it stands */
	pb_message(&node, 5, &again);
	struct tf_buf graph = within(1, node);
	assert_true(reads(GRAPH, &graph,
			  "graph graph\n"
			  "node name='d/MatMul' op='MatMul' device='/device:GPU:0' [[-1,64,0],null,[]] [\"x\",\"^y\\n\"]\n"));
}

static void a_nodes_own_shape_stands_in(void **state)
{
	(void)state;
	static const int64_t sizes[] = {4};
	struct tf_buf node = node_of("p", "Placeholder"), own = attribute("shape", 7, shape_of(1, sizes)),
		      other = attribute("dtype", 6, (struct tf_buf){0});
	pb_message(&node, 5, &own);
	pb_message(&node, 5, &other);
	struct tf_buf graph = within(1, node), bare = node_of("q", "NoOp");
	pb_message(&graph, 1, &bare);
	assert_true(reads(GRAPH, &graph, "graph graph\nnode name='p' op='Placeholder' [[4]] []\nnode name='q' op='NoOp' - []\n"));
}

static struct tf_buf with_function(void)
{
	struct tf_buf signature = texts(1, (const uint32_t[]){1}, (const char *const[]){"f"}), inner = node_of("mul", "Mul"), function = {0};
	pb_message(&function, 3, &inner); /* the signature may come last */
	pb_message(&function, 1, &signature);
	struct tf_buf library = within(1, function), outer = node_of("call", "f"), graph = {0};
	pb_message(&graph, 1, &outer);
	pb_message(&graph, 2, &library);
	return graph;
}

static void nodes_of_functions_name_theirs(void **state)
{
	(void)state;
	struct tf_buf graph = with_function();
	assert_true(reads(GRAPH, &graph, "graph graph\nnode name='call' op='f' - []\nnode function='f' name='mul' op='Mul' - []\n"));
}

static void graphs_lie_in_other_messages(void **state)
{
	(void)state;
	struct tf_buf meta = within(2, with_function()), functions = within(2, with_function());
	struct tf_buf optimised = with_function();
	pb_message(&functions, 3, &optimised); /* after optimisation: not what the user wrote */
	struct tf_buf trace = within(4, functions);
	assert_true(reads(META_GRAPH, &meta, "graph meta_graph\nnode name='call' op='f' - []\nnode function='f' name='mul' op='Mul' - []\n"));
	assert_true(reads(FUNCTIONS, &trace, "graph function\nnode name='call' op='f' - []\nnode function='f' name='mul' op='Mul' - []\n"));
}

/* Cut anywhere but between its nodes a graph is not whole, and no node is made up. */
static void a_graph_may_be_cut(void **state)
{
	(void)state;
	struct tf_buf whole = with_function();
	for (size_t len = 1; len < whole.len; len++) {
		struct tf_buf graph = {0};
		bool first = len >= 11; /* key, length, and 9 bytes of `call` and its op */
		tf_buf_add(&graph, whole.data, len);
		bool is_whole = reads(GRAPH, &graph, first ? "graph graph\nnode name='call' op='f' - []\n" : "graph graph\n");
		assert_int_equal(is_whole, len == 11);
	}
	tf_buf_release(&whole);
}

static void a_malformed_node_costs_itself(void **state)
{
	(void)state;
	struct tf_buf bad = node_of("bad", "Op"), good = node_of("good", "Op");
	tf_buf_char(&bad, '\x0b'); /* a group */
	struct tf_buf graph = within(1, bad);
	pb_message(&graph, 1, &good);
	assert_false(reads(GRAPH, &graph, "graph graph\nnode name='good' op='Op' - []\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_experiment_tells_what_is_searched),
		cmocka_unit_test(a_trial_begins_and_ends),
		cmocka_unit_test(an_unset_time_or_number_of_an_enumeration_is_unknown),
		cmocka_unit_test(every_curve_of_a_layout_is_a_row),
		cmocka_unit_test(what_is_no_layout_gives_no_rows),
		cmocka_unit_test(a_mesh_tag_tells_its_content),
		cmocka_unit_test(a_node_has_op_device_inputs_and_shapes_of_outputs),
		cmocka_unit_test(a_nodes_own_shape_stands_in),
		cmocka_unit_test(nodes_of_functions_name_theirs),
		cmocka_unit_test(graphs_lie_in_other_messages),
		cmocka_unit_test(a_graph_may_be_cut),
		cmocka_unit_test(a_malformed_node_costs_itself),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
