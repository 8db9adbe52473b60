"""Works with kazoo: four clients with locks, a queue, watches and transactions. work.py SERVERS DONE_FILE"""

import os
import sys
import threading
import time

from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import (
    BadVersionError,
    ConnectionClosedError,
    ConnectionLoss,
    NodeExistsError,
    NoNodeError,
    SessionExpiredError,
)
from kazoo.retry import KazooRetry

CLIENTS = 4
PATIENT = dict(max_tries=-1, delay=0.1, max_delay=1)


class Worker(threading.Thread):
    """One client; every acknowledged write is noted."""

    def __init__(self, name, servers, done):
        super().__init__(name=name)
        self.done = done
        self.error = None
        self.created, self.locked, self.queued, self.taken, self.increments, self.seen = [], 0, [], [], 0, 0
        self.lost = 0
        self.client = KazooClient(
            hosts=servers, timeout=15, connection_retry=KazooRetry(**PATIENT), command_retry=KazooRetry(**PATIENT)
        )
        self.client.add_listener(self.on_state)
        self.client.start(timeout=60)

    def on_state(self, state):
        if state == KazooState.LOST:
            self.lost += 1

    def run(self):
        try:
            number = 0
            while not os.path.exists(self.done):
                self.round(number)
                number += 1
        except BaseException as e:  # the main thread reports it
            self.error = e

    def round(self, number):
        zk = self.client
        path = "/created/%s-%d" % (self.name, number)
        try:
            zk.retry(zk.create, path, self.name.encode())
        except NodeExistsError:
            pass  # the answer to an earlier try was lost
        self.created.append(path)
        with zk.Lock("/lock", self.name):
            # nobody else is in here: what is noted on entering is still there on leaving
            zk.retry(zk.set, "/inside", path.encode())
            data, _ = zk.retry(zk.get, "/inside")
            if data.decode() != path:
                raise AssertionError("two in the lock: %s, %s" % (path, data))
            self.locked += 1
        entry = "%s-%d" % (self.name, number)
        self.enqueue(entry)
        taken = self.take()
        if taken is not None:
            self.taken.append(taken)
        self.increment()
        self.watch(number)

    def enqueue(self, entry):
        """In one transaction with a marker, so that a try whose answer was lost is not repeated."""
        zk = self.client
        while not zk.retry(zk.exists, "/marks/" + entry):
            transaction = zk.transaction()
            transaction.create("/marks/" + entry)
            transaction.create("/queue/entry-", entry.encode(), sequence=True)
            try:
                transaction.commit()
            except (ConnectionLoss, SessionExpiredError, ConnectionClosedError):
                time.sleep(0.1)  # whether it was executed is what the mark tells
        self.queued.append(entry)

    def take(self):
        zk = self.client
        children = sorted(zk.retry(zk.get_children, "/queue"))
        if not children:
            return None
        path = "/queue/" + children[0]
        with zk.Lock("/queue-lock", self.name):
            if not zk.retry(zk.exists, path):
                return None
            data, _ = zk.retry(zk.get, path)
            try:
                zk.retry(zk.delete, path)
            except NoNodeError:
                pass  # the answer to an earlier try was lost: nobody else takes within the lock
            return data.decode()

    def increment(self):
        zk = self.client
        while True:
            data, stat = zk.retry(zk.get, "/counter")
            value = int(data.split(b" ")[0])
            mine = b"%d %s" % (value + 1, self.name.encode())
            try:
                zk.retry(zk.set, "/counter", mine, version=stat.version)
            except BadVersionError:
                now, _ = zk.retry(zk.get, "/counter")
                if now != mine:
                    continue  # another client's; or ours and then another's, which the bounds at the end allow for
            self.increments += 1
            return

    def watch(self, number):
        zk = self.client
        fired = threading.Event()
        path = "/watched-" + self.name
        zk.retry(zk.ensure_path, path)
        zk.retry(zk.get, path, watch=lambda event: fired.set())
        zk.retry(zk.set, path, b"%d" % number)
        if not fired.wait(30):
            raise AssertionError("no event of " + path)
        self.seen += 1


def main():
    servers, done = sys.argv[1:]
    setup = KazooClient(hosts=servers, timeout=15, connection_retry=KazooRetry(**PATIENT))
    setup.start(timeout=60)
    for path in ("/created", "/marks", "/queue", "/inside"):
        setup.create(path)
    setup.create("/counter", b"0 nobody")
    workers = [Worker("client-%d" % i, servers, done) for i in range(CLIENTS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for worker in workers:
        if worker.error is not None:
            raise worker.error
        if worker.lost:
            raise AssertionError("%s lost its session" % worker.name)
    there = {"/created/" + name for name in setup.retry(setup.get_children, "/created")}
    created = {path for worker in workers for path in worker.created}
    if not created <= there:
        raise AssertionError("lost: %s" % sorted(created - there))
    left = [setup.get("/queue/" + name)[0].decode() for name in setup.get_children("/queue")]
    queued = sorted(entry for worker in workers for entry in worker.queued)
    taken = sorted([entry for worker in workers for entry in worker.taken] + left)
    if queued != taken:
        raise AssertionError("queued %d, taken and left %d" % (len(queued), len(taken)))
    counter = int(setup.get("/counter")[0].split(b" ")[0])
    increments = sum(worker.increments for worker in workers)
    if counter < increments:
        raise AssertionError("%d increments were answered, the counter is %d" % (increments, counter))
    print(
        "%d clients: %d znodes created, %d times in a lock, %d entries through a queue in transactions, "
        "%d increments, %d watches fired; no session lost"
        % (CLIENTS, len(created), sum(w.locked for w in workers), len(queued), increments, sum(w.seen for w in workers))
    )
    for worker in workers:
        worker.client.stop()
    setup.stop()


if __name__ == "__main__":
    main()
