#pragma once
// The part of SQLite's interface to the file system that the shim needs. The layouts are those that SQLite
// promises to keep. What the shim only hands on has no names here.
typedef struct sqlite3_file file;
typedef struct sqlite3_vfs vfs;
typedef long long int64;

typedef struct {
	int version;
	int (*close)(file *);
	int (*read)(file *, void *, int, int64);
	int (*write)(file *, const void *, int, int64);
	int (*truncate)(file *, int64);
	int (*sync)(file *, int);
	void *others[7]; // size, locks, control, sector size, characteristics
	int (*shm_map)(file *, int, int, int, void volatile **);
	int (*shm_lock)(file *, int, int, int);
	void *shm_others[2]; // barrier, unmap
	void *mapped[2];     // fetch, unfetch
} methods;

struct sqlite3_file {
	const methods *methods;
};

struct sqlite3_vfs {
	int version, file_size, longest_path;
	vfs *next;
	const char *name;
	void *data;
	int (*open)(vfs *, const char *, file *, int, int *);
	int (*remove)(vfs *, const char *, int);
	void *others[14];
};

enum { FAULT_READ = 1, FAULT_WRITE = 2, FAULT_TRUNCATE = 4, FAULT_SYNC = 8, FAULT_CREATE = 16, FAULT_REMOVE = 32, FAULT_SHM_MAP = 64, FAULT_SHM_LOCK = 128 };

// faultvfs_register puts the shim before the default file system, for good. It returns a code of SQLite.
int faultvfs_register(void);
