/*
 * ZooKeeper's C client against a running ensemble: sessions, watches, ephemerals, sequences, transactions.
 *
 * cc -DTHREADED c_client.c -lzookeeper_mt; usage: c_client HOST:PORT HOST:PORT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zookeeper/zookeeper.h>

#define LIMIT_SECONDS 30

static volatile int fired_type;

static void check(const char *what, int holds) {
  if (!holds) {
    fprintf(stderr, "failed: %s\n", what);
    exit(1);
  }
  printf("ok  %s\n", what);
}

static void on_session(zhandle_t *zh, int type, int state, const char *path, void *context) {}

static void on_event(zhandle_t *zh, int type, int state, const char *path, void *context) {
  if (type != ZOO_SESSION_EVENT) {
    fired_type = type;
  }
}

static int await_event(int type) {
  for (int i = 0; i < LIMIT_SECONDS * 100 && fired_type != type; i++) {
    usleep(10000);
  }
  int seen = fired_type == type;
  fired_type = 0;
  return seen;
}

static zhandle_t *open_session(const char *server) {
  zhandle_t *zh = zookeeper_init(server, on_session, 10000, NULL, NULL, 0);
  for (int i = 0; zh && i < LIMIT_SECONDS * 100 && zoo_state(zh) != ZOO_CONNECTED_STATE; i++) {
    usleep(10000);
  }
  check("a session", zh && zoo_state(zh) == ZOO_CONNECTED_STATE);
  return zh;
}

static void transactions(zhandle_t *one, const char *path, const char *other_path) {
  zoo_op_t ops[2];
  zoo_op_result_t results[2];
  char created[256];
  zoo_create_op_init(&ops[0], other_path, "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, created, sizeof created);
  zoo_check_op_init(&ops[1], path, 99);
  check("a failed transaction does nothing",
        zoo_multi(one, 2, ops, results) == ZBADVERSION && zoo_exists(one, other_path, 0, NULL) == ZNONODE);
  zoo_set_op_init(&ops[1], path, "4", 1, -1, NULL);
  check("a transaction does all",
        zoo_multi(one, 2, ops, results) == ZOK && zoo_exists(one, other_path, 0, NULL) == ZOK);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: c_client HOST:PORT HOST:PORT\n");
    return 2;
  }
  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  zhandle_t *one = open_session(argv[1]);
  zhandle_t *other = open_session(argv[2]);
  char root[64], path[128], second[128], ephemeral[128], first_name[256], next_name[256], buffer[16];
  struct Stat stat;
  int length = sizeof buffer;
  snprintf(root, sizeof root, "/c-%d", (int)getpid());
  snprintf(path, sizeof path, "%s/a", root);
  snprintf(second, sizeof second, "%s/t", root);
  snprintf(ephemeral, sizeof ephemeral, "%s/e", root);
  check("create", zoo_create(one, root, "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, NULL, 0) == ZOK &&
                      zoo_create(one, path, "1", 1, &ZOO_OPEN_ACL_UNSAFE, 0, NULL, 0) == ZOK);
  check("another server reads what was written",
        zoo_get(other, path, 0, buffer, &length, &stat) == ZOK && length == 1 && buffer[0] == '1');
  check("node exists", zoo_create(one, path, "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, NULL, 0) == ZNODEEXISTS);
  check("bad version", zoo_set(one, path, "", 0, 7) == ZBADVERSION);
  char prefix[128];
  snprintf(prefix, sizeof prefix, "%s/s-", root);
  check("sequence nodes ascend across servers",
        zoo_create(one, prefix, "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_SEQUENCE, first_name, sizeof first_name) == ZOK &&
            zoo_create(other, prefix, "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_SEQUENCE, next_name, sizeof next_name) == ZOK &&
            strcmp(first_name, next_name) < 0);
  zoo_wexists(one, path, on_event, NULL, &stat);
  zoo_set(other, path, "3", 1, -1);
  check("a watch fires for a write at another server", await_event(ZOO_CHANGED_EVENT));
  transactions(one, path, second);
  zoo_create(other, ephemeral, "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL, NULL, 0);
  check("an ephemeral node", zoo_wexists(one, ephemeral, on_event, NULL, &stat) == ZOK);
  zookeeper_close(other);
  check("an ephemeral node goes with its session", await_event(ZOO_DELETED_EVENT));
  zookeeper_close(one);
  return 0;
}
