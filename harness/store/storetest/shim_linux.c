#include "shim_linux.h"
#include "_cgo_export.h"

// The program links SQLite by another package. When this package is built alone, the symbols are missing.
extern vfs *sqlite3_vfs_find(const char *name) __attribute__((weak));
extern int sqlite3_vfs_register(vfs *, int makes_default) __attribute__((weak));

static vfs *real, shim;

// An extra lies behind the real file system's part of a file. The methods of the file are a copy of the
// real ones in which some are replaced, so that all others get the file that they know.
typedef struct {
	methods methods;
	const methods *real;
	int64 id;
} extra;

static extra *extra_of(file *f) { return (extra *)((char *)f + (real->file_size + 15) / 16 * 16); }

static int hooked_close(file *f) {
	f->methods = extra_of(f)->real;
	return f->methods->close(f);
}

static int hooked_read(file *f, void *into, int n, int64 at) {
	extra *e = extra_of(f);
	int code = faultvfsOp(e->id, FAULT_READ, 0, n, at, 0);
	return code ? code : e->real->read(f, into, n, at);
}

static int hooked_write(file *f, const void *from, int n, int64 at) {
	extra *e = extra_of(f);
	int part = 0, code = faultvfsOp(e->id, FAULT_WRITE, (void *)from, n, at, &part);
	if (code == 0) return e->real->write(f, from, n, at);
	if (part > 0) e->real->write(f, from, part, at);
	return code;
}

static int hooked_truncate(file *f, int64 size) {
	extra *e = extra_of(f);
	int code = faultvfsOp(e->id, FAULT_TRUNCATE, 0, 0, size, 0);
	return code ? code : e->real->truncate(f, size);
}

// What reaches the disk is the model's to say, so that nothing waits for the real disk.
static int hooked_sync(file *f, int flags) { return faultvfsOp(extra_of(f)->id, FAULT_SYNC, 0, 0, 0, 0); }

static int hooked_shm_map(file *f, int page, int size, int extend, void volatile **into) {
	extra *e = extra_of(f);
	int code = extend ? faultvfsOp(e->id, FAULT_SHM_MAP, 0, size, page, 0) : 0;
	return code ? code : e->real->shm_map(f, page, size, extend, into);
}

static int hooked_shm_lock(file *f, int first, int n, int flags) {
	extra *e = extra_of(f);
	int code = flags & 2 ? faultvfsOp(e->id, FAULT_SHM_LOCK, 0, n, first, 0) : 0; // locks; giving up a lock does not fail
	return code ? code : e->real->shm_lock(f, first, n, flags);
}

static int hooked_open(vfs *v, const char *name, file *f, int flags, int *out) {
	int64 id = name ? faultvfsOpen((char *)name, flags) : 0;
	f->methods = 0;
	if (id < 0) return (int)-id;
	int code = real->open(real, name, f, flags, out);
	if (code || id == 0) return code;
	extra *e = extra_of(f);
	e->real = f->methods;
	e->methods = *e->real;
	e->methods.version = 2; // no mapped files, which would be written past the shim
	e->methods.close = hooked_close;
	e->methods.read = hooked_read;
	e->methods.write = hooked_write;
	e->methods.truncate = hooked_truncate;
	e->methods.sync = hooked_sync;
	e->methods.shm_map = hooked_shm_map;
	e->methods.shm_lock = hooked_shm_lock;
	e->id = id;
	f->methods = &e->methods;
	return 0;
}

static int hooked_remove(vfs *v, const char *name, int sync) {
	int code = faultvfsRemove((char *)name, sync);
	return code ? code : real->remove(real, name, sync);
}

int faultvfs_register(void) {
	real = sqlite3_vfs_find(0);
	if (!real || real->version != 3) return 1;
	shim = *real;
	shim.name = "faultvfs";
	shim.next = 0;
	shim.file_size = (real->file_size + 15) / 16 * 16 + sizeof(extra);
	shim.open = hooked_open;
	shim.remove = hooked_remove;
	return sqlite3_vfs_register(&shim, 1);
}
