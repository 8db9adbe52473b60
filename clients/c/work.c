/*
 * Works with ZooKeeper's C client: znodes, transactions, watches, from one thread. work SERVERS DONE_FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zookeeper/zookeeper.h>

enum { NAME_BYTES = 64, PATH_BYTES = 128, DATA_BYTES = 256, PATIENCE = 600 };

static volatile int connected;
static volatile int fired;

static void fail(const char *what, int code) {
  fprintf(stderr, "%s: %s\n", what, zerror(code));
  exit(1);
}

static void on_session(zhandle_t *zh, int type, int state, const char *path, void *context) {
  (void)zh, (void)path, (void)context;
  if (type == ZOO_SESSION_EVENT) {
    connected = state == ZOO_CONNECTED_STATE;
    if (state == ZOO_EXPIRED_SESSION_STATE) {
      fprintf(stderr, "session lost\n");
      exit(1);
    }
  }
}

static void on_change(zhandle_t *zh, int type, int state, const char *path, void *context) {
  (void)zh, (void)state, (void)path, (void)context;
  if (type == ZOO_CHANGED_EVENT) {
    fired++;
  }
}

/* Whether to try again: the outcome is unknown, or nothing was sent. */
static int again(int code) {
  if (code == ZCONNECTIONLOSS || code == ZOPERATIONTIMEOUT || code == ZINVALIDSTATE) {
    usleep(100000);
    return 1;
  }
  return 0;
}

static void create(zhandle_t *zh, const char *path, const char *data) {
  int code;
  do {
    code = zoo_create(zh, path, data, (int)strlen(data), &ZOO_OPEN_ACL_UNSAFE, 0, NULL, 0);
  } while (again(code));
  /* there already: the answer to an earlier try was lost */
  if (code != ZOK && code != ZNODEEXISTS) {
    fail(path, code);
  }
}

static void transact(zhandle_t *zh, const char *entry) {
  char left[PATH_BYTES], right[PATH_BYTES];
  zoo_op_t ops[2];
  zoo_op_result_t results[2];
  int code;
  snprintf(left, sizeof left, "/left/%s", entry);
  snprintf(right, sizeof right, "/right/%s", entry);
  do {
    zoo_create_op_init(&ops[0], left, "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, NULL, 0);
    zoo_create_op_init(&ops[1], right, "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, NULL, 0);
    code = zoo_multi(zh, 2, ops, results);
  } while (again(code));
  if (code != ZOK && code != ZNODEEXISTS) {
    fail(entry, code);
  }
}

static int children(zhandle_t *zh, const char *path) {
  struct String_vector names;
  int code, count;
  do {
    code = zoo_get_children(zh, path, 0, &names);
  } while (again(code));
  if (code != ZOK) {
    fail(path, code);
  }
  count = names.count;
  deallocate_String_vector(&names);
  return count;
}

/* Sets a watch, changes the znode, waits for the event. */
static void watch(zhandle_t *zh, const char *value) {
  int code, before = fired, waits = 0;
  do {
    code = zoo_wexists(zh, "/watched", on_change, NULL, NULL);
  } while (again(code));
  if (code != ZOK) {
    fail("/watched", code);
  }
  do {
    code = zoo_set(zh, "/watched", value, (int)strlen(value), -1);
  } while (again(code));
  if (code != ZOK) {
    fail("/watched", code);
  }
  while (fired == before) {
    if (++waits > PATIENCE) {
      fprintf(stderr, "no event of /watched\n");
      exit(1);
    }
    usleep(50000);
  }
}

int main(int argc, char **argv) {
  zhandle_t *zh;
  char path[PATH_BYTES], entry[NAME_BYTES], data[DATA_BYTES];
  int number, code, length;
  if (argc != 3) {
    return 2;
  }
  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  zh = zookeeper_init(argv[1], on_session, 15000, NULL, NULL, 0);
  if (zh == NULL) {
    return 1;
  }
  create(zh, "/created", "");
  create(zh, "/left", "");
  create(zh, "/right", "");
  create(zh, "/watched", "");
  for (number = 0; access(argv[2], F_OK) != 0; number++) {
    snprintf(entry, sizeof entry, "entry-%d", number);
    snprintf(path, sizeof path, "/created/%s", entry);
    create(zh, path, entry);
    do {
      length = (int)sizeof data;
      code = zoo_get(zh, path, 0, data, &length, NULL);
    } while (again(code));
    if (code != ZOK || length != (int)strlen(entry) || memcmp(data, entry, (size_t)length) != 0) {
      fail(path, code);
    }
    transact(zh, entry);
    watch(zh, entry);
    usleep(5000);
  }
  if (children(zh, "/created") != number || children(zh, "/left") != number || children(zh, "/right") != number) {
    fprintf(stderr, "%d znodes and transactions were answered, not all are there\n", number);
    return 1;
  }
  printf("1 client: %d znodes created, %d transactions, %d watches fired; no session lost\n", number, number, fired);
  return zookeeper_close(zh) == ZOK ? 0 : 1;
}
