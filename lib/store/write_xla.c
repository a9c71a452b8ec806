/* Writing XLA programs and their buffers. */
#include "lib/analyze/xla_memory.h"
#include "lib/store/db.h"

static int put_buffers(struct tf_store *s, int64_t module, const struct tf_xla_module *m, struct tf_error *err)
{
	for (size_t i = 0; i < m->buffer_count; i++) {
		const struct tf_xla_buffer *b = &m->buffers[i];
		if (tf_db_run(s, err, NULL, "INSERT INTO _hlo_buffer VALUES(NULL,?,?,?,?,?,?,?,?,?)", "ittttiiib", module, b->instruction,
			      b->op, b->shape, tf_xla_category_name(b->category), b->color, b->offset, b->bytes,
			      (int)b->live_at_peak) < 0)
			return -1;
	}
	return 0;
}

int tf_store_put_xla(struct tf_store *s, const struct tf_session *session, struct tf_error *err)
{
	for (size_t i = 0; i < session->xla_count; i++) {
		const struct tf_xla_module *m = &session->xla[i];
		int64_t id;
		if (tf_db_run(s, err, &id, "INSERT INTO _hlo_module VALUES(NULL,?,?,?,?,?,?,?,?,?)", "iitiiiiit", s->session_id, s->file_id,
			      m->name, m->instruction_count, m->peak_bytes, m->always_bytes, m->heap_bytes, m->allocated_bytes,
			      m->reason) < 0
		    || put_buffers(s, id, m, err) < 0)
			return -1;
	}
	return 0;
}
