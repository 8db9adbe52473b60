"""kazoo against a running ensemble: sessions, watches, ephemerals, sequences, transactions, another server.

Usage: kazoo_client.py HOST:PORT,HOST:PORT,...   exit code 0 if everything was as it should be
"""
import sys
import threading
import uuid

from kazoo.client import KazooClient
from kazoo.exceptions import BadVersionError, NodeExistsError, NoNodeError, RolledBackError
from kazoo.recipe.lock import Lock

LIMIT_SECONDS = 30


def connect(servers, **how):
    client = KazooClient(hosts=servers, timeout=10.0, randomize_hosts=False, **how)
    client.start(timeout=LIMIT_SECONDS)
    return client


def check(what, holds):
    if not holds:
        raise AssertionError(what)
    print("ok  " + what)


def operations(one, other, root):
    one.ensure_path(root)
    path, stat = one.create(root + "/a", b"1", include_data=True)
    check("create returns path and Stat", path == root + "/a" and stat.version == 0)
    one.sync(root)
    check("another server reads what was written", other.get(root + "/a")[0] == b"1")
    check("set counts the version", other.set(root + "/a", b"2").version == 1)
    for error, call in [
        (NodeExistsError, lambda: one.create(root + "/a")),
        (NoNodeError, lambda: one.get(root + "/none")),
        (BadVersionError, lambda: one.set(root + "/a", b"", version=7)),
    ]:
        try:
            call()
        except error:
            print("ok  " + error.__name__)
        else:
            raise AssertionError("no " + error.__name__)


def sequences(one, other, root):
    names = [client.create(root + "/s-", sequence=True) for client in (one, other, one, other)]
    check("sequence nodes ascend across servers", names == sorted(names) and len(set(names)) == 4)


def watches(one, other, root):
    fired = threading.Event()
    seen = []
    one.get(root + "/a", watch=lambda event: (seen.append(event), fired.set()))
    other.set(root + "/a", b"3")
    check("a watch fires for a write at another server", fired.wait(LIMIT_SECONDS) and seen[0].type == "CHANGED")
    gone = threading.Event()
    one.exists(root + "/e", watch=lambda event: gone.set() if event.type == "DELETED" else None)
    return gone


def transactions(one, root):
    transaction = one.transaction()
    transaction.create(root + "/t1", b"")
    transaction.check(root + "/a", version=99)
    results = transaction.commit()
    check("a failed transaction does nothing",
          isinstance(results[0], RolledBackError) and one.exists(root + "/t1") is None)
    transaction = one.transaction()
    transaction.create(root + "/t1", b"")
    transaction.set_data(root + "/a", b"4")
    check("a transaction does all", transaction.commit()[0] == root + "/t1" and one.get(root + "/a")[0] == b"4")


def reconnect(servers, root):
    client = connect(servers)
    client.create(root + "/mine", ephemeral=True)
    before = client.client_id
    back = threading.Event()
    client.add_listener(lambda state: back.set() if state == "CONNECTED" else None)
    client._connection._socket.shutdown(2)
    check("the client connects again", back.wait(LIMIT_SECONDS))
    check("its session goes on, at the next server of its list", client.client_id == before)
    check("its ephemeral node is there", client.exists(root + "/mine") is not None)
    client.stop()
    client.close()


def main(servers):
    root = "/kazoo-" + uuid.uuid4().hex
    addresses = servers.split(",")
    one, other = connect(addresses[0]), connect(addresses[-1])
    operations(one, other, root)
    sequences(one, other, root)
    other.create(root + "/e", ephemeral=True)
    one.sync(root)
    gone = watches(one, other, root)
    transactions(one, root)
    with Lock(one, root + "/lock"):
        check("a lock at one server excludes another", not Lock(other, root + "/lock").acquire(blocking=False))
    reconnect(servers, root)
    other.stop()
    other.close()
    check("an ephemeral node goes with its session", gone.wait(LIMIT_SECONDS) and one.exists(root + "/e") is None)
    one.delete(root, recursive=True)
    one.stop()
    one.close()


if __name__ == "__main__":
    main(sys.argv[1])
