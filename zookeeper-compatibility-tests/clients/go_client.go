// go-zookeeper against a running ensemble: sessions, watches, ephemerals, sequences, transactions.
//
// Usage: go_client HOST:PORT,HOST:PORT,...   exit code 0 if everything was as it should be
package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"
)

const limit = 30 * time.Second

var acl = zk.WorldACL(zk.PermAll)

func check(what string, holds bool) {
	if !holds {
		fmt.Fprintln(os.Stderr, "failed: "+what)
		os.Exit(1)
	}
	fmt.Println("ok  " + what)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "failed:", err)
		os.Exit(1)
	}
}

func connect(servers ...string) *zk.Conn {
	conn, events, err := zk.Connect(servers, 10*time.Second, zk.WithLogInfo(false))
	must(err)
	deadline := time.After(limit)
	for {
		select {
		case event := <-events:
			if event.State == zk.StateHasSession {
				return conn
			}
		case <-deadline:
			must(fmt.Errorf("no session at %v within %v", servers, limit))
		}
	}
}

func operations(one, other *zk.Conn, root string) {
	_, err := one.Create(root, nil, 0, acl)
	must(err)
	_, err = one.Create(root+"/a", []byte("1"), 0, acl)
	must(err)
	_, err = other.Sync(root)
	must(err)
	data, _, err := other.Get(root + "/a")
	must(err)
	check("another server reads what was written", string(data) == "1")
	stat, err := other.Set(root+"/a", []byte("2"), 0)
	must(err)
	check("set counts the version", stat.Version == 1)
	_, err = one.Create(root+"/a", nil, 0, acl)
	check("node exists", err == zk.ErrNodeExists)
	_, _, err = one.Get(root + "/none")
	check("no node", err == zk.ErrNoNode)
	_, err = one.Set(root+"/a", nil, 7)
	check("bad version", err == zk.ErrBadVersion)
}

func sequences(one, other *zk.Conn, root string) {
	var names []string
	for _, conn := range []*zk.Conn{one, other, one, other} {
		name, err := conn.Create(root+"/s-", nil, zk.FlagSequence, acl)
		must(err)
		names = append(names, name)
	}
	check("sequence nodes ascend across servers", sort.StringsAreSorted(names))
}

func awaitEvent(events <-chan zk.Event, kind zk.EventType) bool {
	select {
	case event := <-events:
		return event.Type == kind
	case <-time.After(limit):
		return false
	}
}

func transactions(one *zk.Conn, root string) {
	_, err := one.Multi(
		&zk.CreateRequest{Path: root + "/t", Acl: acl},
		&zk.CheckVersionRequest{Path: root + "/a", Version: 99})
	exists, _, existsErr := one.Exists(root + "/t")
	must(existsErr)
	check("a failed transaction does nothing", err != nil && !exists)
	_, err = one.Multi(
		&zk.CreateRequest{Path: root + "/t", Acl: acl},
		&zk.SetDataRequest{Path: root + "/a", Data: []byte("4"), Version: -1})
	must(err)
	data, _, err := one.Get(root + "/a")
	must(err)
	check("a transaction does all", string(data) == "4")
}

func main() {
	servers := strings.Split(os.Args[1], ",")
	root := fmt.Sprintf("/go-%d", time.Now().UnixNano())
	one, other := connect(servers[0]), connect(servers[len(servers)-1])
	operations(one, other, root)
	sequences(one, other, root)
	_, _, changed, err := one.GetW(root + "/a")
	must(err)
	_, err = other.Set(root+"/a", []byte("3"), -1)
	must(err)
	check("a watch fires for a write at another server", awaitEvent(changed, zk.EventNodeDataChanged))
	transactions(one, root)
	_, err = other.Create(root+"/e", nil, zk.FlagEphemeral, acl)
	must(err)
	_, err = one.Sync(root)
	must(err)
	_, _, gone, err := one.ExistsW(root + "/e")
	must(err)
	other.Close()
	check("an ephemeral node goes with its session", awaitEvent(gone, zk.EventNodeDeleted))
	one.Close()
}
