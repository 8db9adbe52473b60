// Works with go-zookeeper: four clients with locks, watches, transactions and ephemeral znodes. work SERVERS DONE_FILE
package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"
)

const clients = 4

var (
	open    = zk.WorldACL(zk.PermAll)
	created sync.Map
	inside  atomic.Int32
	locked  atomic.Int32
	multis  atomic.Int32
	fired   atomic.Int32
)

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}

func connect(servers string) (*zk.Conn, <-chan zk.Event) {
	conn, events, err := zk.Connect(strings.Split(servers, ","), 15*time.Second, zk.WithLogInfo(false))
	if err != nil {
		fail("connect: %v", err)
	}
	return conn, events
}

// again tells whether the outcome is unknown or nothing was sent: try again.
func again(err error) bool {
	switch err {
	case zk.ErrConnectionClosed, zk.ErrNoServer, zk.ErrSessionMoved:
		time.Sleep(100 * time.Millisecond)
		return true
	}
	return false
}

func create(conn *zk.Conn, path string, data string, flags int32) {
	for {
		_, err := conn.Create(path, []byte(data), flags, open)
		if again(err) {
			continue
		}
		// there already: the answer to an earlier try was lost
		if err != nil && err != zk.ErrNodeExists {
			fail("create %s: %v", path, err)
		}
		return
	}
}

func get(conn *zk.Conn, path string) string {
	for {
		data, _, err := conn.Get(path)
		if again(err) {
			continue
		}
		if err != nil {
			fail("get %s: %v", path, err)
		}
		return string(data)
	}
}

// enter holds the lock. Where a connection breaks, the library gives up and leaves its znode in the queue until the
// session ends, so the session for the lock is closed then. Returns the one to go on with.
func enter(conn *zk.Conn, servers string) *zk.Conn {
	for {
		lock := zk.NewLock(conn, "/lock", open)
		err := lock.Lock()
		if err == nil {
			if inside.Add(1) != 1 {
				fail("two in the lock")
			}
			locked.Add(1)
			inside.Add(-1)
			err = lock.Unlock()
			if err == nil {
				return conn
			}
			if !again(err) {
				fail("unlock: %v", err)
			}
		} else if !again(err) {
			fail("lock: %v", err)
		}
		conn.Close()
		conn, _ = connect(servers)
	}
}

func multi(conn *zk.Conn, name string) {
	for {
		_, err := conn.Multi(
			&zk.CreateRequest{Path: "/left/" + name, Acl: open},
			&zk.CreateRequest{Path: "/right/" + name, Acl: open})
		if again(err) {
			continue
		}
		if err != nil && err != zk.ErrNodeExists {
			fail("multi: %v", err)
		}
		multis.Add(1)
		return
	}
}

func watch(conn *zk.Conn, path string, value string) {
	for {
		_, _, events, err := conn.GetW(path)
		if again(err) {
			continue
		}
		if err != nil {
			fail("watch %s: %v", path, err)
		}
		_, err = conn.Set(path, []byte(value), -1)
		if again(err) {
			continue
		}
		if err != nil {
			fail("set %s: %v", path, err)
		}
		select {
		case event := <-events:
			if event.Err == nil {
				fired.Add(1)
				return
			}
		case <-time.After(30 * time.Second):
			fail("no event of %s", path)
		}
	}
}

func work(name string, servers string, done string, group *sync.WaitGroup) {
	defer group.Done()
	conn, events := connect(servers)
	go func() {
		for event := range events {
			if event.State == zk.StateExpired {
				fail("%s lost its session", name)
			}
		}
	}()
	locking, _ := connect(servers)
	create(conn, "/ephemeral/"+name, "", zk.FlagEphemeral)
	create(conn, "/watched-"+name, "", 0)
	for number := 0; ; number++ {
		if _, err := os.Stat(done); err == nil {
			break
		}
		entry := fmt.Sprintf("%s-%d", name, number)
		create(conn, "/created/"+entry, entry, 0)
		created.Store(entry, true)
		if get(conn, "/created/"+entry) != entry {
			fail("%s has other data", entry)
		}
		multi(conn, entry)
		locking = enter(locking, servers)
		watch(conn, "/watched-"+name, entry)
	}
	locking.Close()
	conn.Close()
}

func main() {
	servers, done := os.Args[1], os.Args[2]
	conn, _ := connect(servers)
	for _, path := range []string{"/created", "/left", "/right", "/ephemeral", "/lock"} {
		create(conn, path, "", 0)
	}
	var group sync.WaitGroup
	for i := 0; i < clients; i++ {
		group.Add(1)
		go work(fmt.Sprintf("client-%d", i), servers, done, &group)
	}
	group.Wait()
	there := map[string]bool{}
	names, _, err := conn.Children("/created")
	if err != nil {
		fail("children: %v", err)
	}
	for _, name := range names {
		there[name] = true
	}
	count := 0
	created.Range(func(name, _ any) bool {
		count++
		if !there[name.(string)] {
			fail("lost: %s", name)
		}
		return true
	})
	left, _, _ := conn.Children("/left")
	right, _, _ := conn.Children("/right")
	if len(left) != len(right) || len(left) < int(multis.Load()) {
		fail("%d transactions were answered, %d and %d znodes are there", multis.Load(), len(left), len(right))
	}
	ephemeral, _, _ := conn.Children("/ephemeral")
	if len(ephemeral) != 0 {
		fail("ephemeral znodes of closed sessions: %v", ephemeral)
	}
	fmt.Printf("%d clients: %d znodes created, %d transactions, %d times in a lock, %d watches fired; no session lost\n",
		clients, count, multis.Load(), locked.Load(), fired.Load())
}
