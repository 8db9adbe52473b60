package io.chainkeeper.transport;

import io.chainkeeper.ordering.InvariantViolated;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Who the peers are at the moment, the link to each and, for smaller ids, who dials it. Asked by any thread unless said
 * otherwise; {@link #apply} and what follows it belong to the I/O thread.
 *
 * <p>A link, once made, stays for its id, closed while the id is no peer's: the sending thread may be behind and still
 * acknowledge what it was told before.
 */
final class PeerTable {
    private final int self;
    private volatile SortedMap<Integer, PeerAddress> wanted;
    private volatile SortedMap<Integer, PeerAddress> served = Collections.emptySortedMap();
    private volatile PeerLink[] links = new PeerLink[TransportSettings.MAX_REPLICA_ID + 1];
    private volatile PeerLink[] servedLinks = {};
    private final PeerDialer[] dialers = new PeerDialer[TransportSettings.MAX_REPLICA_ID + 1];
    private boolean dialing;
    private boolean stopped;

    /**
     * @param self this replica's id
     * @param members the first set, this replica's own address included or not
     */
    PeerTable(int self, Map<Integer, PeerAddress> members) {
        this.self = self;
        want(members);
    }

    /**
     * Names the peers that there should be from now on; {@link #apply} makes it so.
     *
     * @param members this replica's own address included or not
     * @throws InvariantViolated if an id is out of range
     */
    void want(Map<Integer, PeerAddress> members) {
        SortedMap<Integer, PeerAddress> peers = new TreeMap<>(members);
        peers.remove(self);
        for (int peer : peers.keySet()) {
            InvariantViolated.check(
                    TransportSettings.isReplicaId(peer),
                    "peer %d, ids are 1 to %d",
                    peer,
                    TransportSettings.MAX_REPLICA_ID);
        }
        wanted = Collections.unmodifiableSortedMap(peers);
    }

    /**
     * @param peer replica id
     * @return where it is according to the last {@link #want}, or null if it is no peer
     */
    PeerAddress wantedAddress(int peer) {
        return wanted.get(peer);
    }

    /** @return ids of the members that are let in at the moment and this replica's own, ascending */
    SortedSet<Integer> members() {
        SortedSet<Integer> ids = new TreeSet<>(served.keySet());
        ids.add(self);
        return ids;
    }

    /**
     * @param peer replica id
     * @return whether it is let in at the moment
     */
    boolean isServed(int peer) {
        return served.containsKey(peer);
    }

    /**
     * @param peer any number
     * @return its link, perhaps one that is closed because it is no peer any more; null if it never was one
     */
    PeerLink link(int peer) {
        PeerLink[] all = links;
        return peer >= 0 && peer < all.length ? all[peer] : null;
    }

    /** @return the links of all peers, ascending by id; not to be changed */
    PeerLink[] servedLinks() {
        return servedLinks;
    }

    /** @param io shared parts, for the links that are new */
    void apply(IoContext io) {
        SortedMap<Integer, PeerAddress> next = wanted;
        if (stopped || next == served) {
            return;
        }
        SortedMap<Integer, PeerAddress> previous = served;
        served = next;
        io.sizeBlocking(next.size());
        previous.forEach((peer, address) -> {
            if (!next.containsKey(peer)) {
                leave(peer, "it is no member any more");
                io.refusals().forget(peer);
                io.state().endAllOf(peer, "it is no member any more");
            } else if (!next.get(peer).equals(address)) {
                leave(peer, "its address is " + next.get(peer) + " now");
            }
        });
        List<PeerLink> ofAll = new ArrayList<>();
        next.forEach((peer, address) -> {
            PeerLink link = linkFor(io, peer);
            if (!link.isOpen()) {
                join(io, link, address);
            }
            ofAll.add(link);
        });
        servedLinks = ofAll.toArray(PeerLink[]::new);
    }

    private PeerLink linkFor(IoContext io, int peer) {
        if (links[peer] == null) {
            PeerLink[] more = links.clone();
            more[peer] = new PeerLink(io, peer);
            links = more;
        }
        return links[peer];
    }

    private void leave(int peer, String reason) {
        stopDialing(peer);
        links[peer].shut(reason);
    }

    private void stopDialing(int peer) {
        if (dialers[peer] != null) {
            dialers[peer].stop();
            dialers[peer] = null;
        }
    }

    private void join(IoContext io, PeerLink link, PeerAddress address) {
        if (link.peer() > self) {
            link.open(() -> {});
            return;
        }
        PeerDialer dialer = new PeerDialer(io, link, address);
        dialers[link.peer()] = dialer;
        link.open(dialer::onDown);
        if (dialing) {
            dialer.dial();
        }
    }

    /** The port is open: peers with smaller ids are dialled from now on. */
    void startDialing() {
        if (stopped) {
            return;
        }
        dialing = true;
        served.headMap(self).keySet().forEach(peer -> dialers[peer].dial());
    }

    /** Closes all links for good. */
    void stop() {
        stopped = true;
        for (int peer : served.keySet()) {
            leave(peer, "this replica stops");
        }
    }
}
