#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// What the runtime of Go reserves, most of it without ever using it, and what an empty run uses.
#define ADDRESS_SPACE (1600L << 20)
// What an empty run may write to.
#define DATA (160L << 20)
// What SQLite and the kernels in C may need of a thread's stack.
#define STACK (512L << 10)

// What C writes to standard error stays here: the runtime of Go writes one line before it aborts.
char scarcity_said[1024];

static void refuse(const char *limit, long has, long needs) {
	char line[200];
	int n = snprintf(line, sizeof line, "bench: %s is limited to %ld KiB; the program needs %ld KiB\n", limit, has >> 10, needs >> 10);
	if (write(2, line, n) < 0) {}
	_exit(5);
}

static int limited(int resource, struct rlimit *limit) {
	return getrlimit(resource, limit) == 0 && limit->rlim_cur != RLIM_INFINITY;
}

// It runs before the runtime of Go, which cannot say that it lacks room for itself.
__attribute__((constructor)) static void start(void) {
	struct rlimit limit;
	setvbuf(stderr, scarcity_said, _IOFBF, sizeof scarcity_said);
	if (limited(RLIMIT_STACK, &limit) && limit.rlim_cur < STACK)
		refuse("the stack (ulimit -s)", limit.rlim_cur, STACK);
	if (limited(RLIMIT_DATA, &limit) && limit.rlim_cur < DATA)
		refuse("data (ulimit -d)", limit.rlim_cur, DATA);
	if (limited(RLIMIT_AS, &limit)) {
		if (limit.rlim_cur < ADDRESS_SPACE)
			refuse("address space (ulimit -v)", limit.rlim_cur, ADDRESS_SPACE);
#ifdef __GLIBC__
		mallopt(M_ARENA_MAX, 1); // an arena for each thread takes 64 MiB of it
#endif
	}
	// The system kills at the hard limit, without a warning where both limits are equal.
	if (limited(RLIMIT_CPU, &limit) && limit.rlim_cur == limit.rlim_max) {
		limit.rlim_cur -= limit.rlim_cur / 8;
		setrlimit(RLIMIT_CPU, &limit);
	}
}
