package io.chainkeeper.transport.link;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.TransportSettings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The peers at the moment, the link to each and, for smaller ids, the dialer of each. Methods are for any thread;
 * {@link #apply} and those behind it are for the I/O thread.
 *
 * <p>A link, once made, stays in the table, closed while its id belongs to no peer: the sending thread may be behind
 * and still acknowledge what it was told before.
 */
public final class PeerTable {
    private final int self;
    private volatile SortedMap<Integer, PeerAddress> wanted;
    private volatile SortedMap<Integer, PeerAddress> served = Collections.emptySortedMap();
    private volatile PeerLink[] links = new PeerLink[TransportSettings.MAX_REPLICA_ID + 1];
    private volatile PeerLink[] servedLinks = {};
    private final PeerDialer[] dialers = new PeerDialer[TransportSettings.MAX_REPLICA_ID + 1];
    private boolean dialing;
    private boolean stopped;

    /** Told on the I/O thread of what the change of peers means for others than the links. */
    public interface Changes {
        /** @param count how many peers there are now; told before anything else */
        void peersAre(int count);

        /** @param peer replica id of a peer that is none any more; its link is closed */
        void peerLeft(int peer);
    }

    /**
     * @param self this replica's id
     * @param members the first set, this replica's own address included or not
     */
    public PeerTable(int self, Map<Integer, PeerAddress> members) {
        this.self = self;
        want(members);
    }

    /**
     * Names the peers that there should be from now on; {@link #apply} makes it so.
     *
     * @param members this replica's own address included or not
     * @throws InvariantViolated if an id is out of range
     */
    public void want(Map<Integer, PeerAddress> members) {
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
     * @return the peer's address according to the last {@link #want}, null if it is no peer
     */
    public PeerAddress wantedAddress(int peer) {
        return wanted.get(peer);
    }

    /** @return ids of the members that are let in at the moment and this replica's own, ascending */
    public SortedSet<Integer> members() {
        SortedSet<Integer> ids = new TreeSet<>(served.keySet());
        ids.add(self);
        return ids;
    }

    /**
     * @param peer replica id
     * @return whether this replica is let in at the moment
     */
    public boolean isServed(int peer) {
        return served.containsKey(peer);
    }

    /**
     * @param peer any number
     * @return the link, perhaps closed because the replica is no peer any more; null if it never was a peer
     */
    public PeerLink link(int peer) {
        PeerLink[] all = links;
        return peer >= 0 && peer < all.length ? all[peer] : null;
    }

    /** @return the links of all peers, ascending by id; not to be changed */
    public PeerLink[] servedLinks() {
        return servedLinks;
    }

    /**
     * Makes the peers those that are wanted.
     *
     * @param context what links share, for those that are new
     * @param changes told of what changes besides the links
     */
    public void apply(LinkContext context, Changes changes) {
        SortedMap<Integer, PeerAddress> next = wanted;
        if (stopped || next == served) {
            return;
        }
        SortedMap<Integer, PeerAddress> previous = served;
        served = next;
        changes.peersAre(next.size());
        previous.forEach((peer, address) -> {
            if (!next.containsKey(peer)) {
                leave(peer, "it is no member any more");
                changes.peerLeft(peer);
            } else if (!next.get(peer).equals(address)) {
                leave(peer, "its address is " + next.get(peer) + " now");
            }
        });
        List<PeerLink> ofAll = new ArrayList<>();
        next.forEach((peer, address) -> {
            PeerLink link = linkFor(context, peer);
            if (!link.isOpen()) {
                join(context, link, address);
            }
            ofAll.add(link);
        });
        servedLinks = ofAll.toArray(PeerLink[]::new);
    }

    private PeerLink linkFor(LinkContext context, int peer) {
        if (links[peer] == null) {
            PeerLink[] more = links.clone();
            more[peer] = new PeerLink(context, peer);
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

    private void join(LinkContext context, PeerLink link, PeerAddress address) {
        if (link.peer() > self) {
            link.open(() -> {});
            return;
        }
        PeerDialer dialer = new PeerDialer(context, link, address);
        dialers[link.peer()] = dialer;
        link.open(dialer::onDown);
        if (dialing) {
            dialer.dial();
        }
    }

    /** The port is open: peers with smaller ids are dialled from now on. */
    public void startDialing() {
        if (stopped) {
            return;
        }
        dialing = true;
        served.headMap(self).keySet().forEach(peer -> dialers[peer].dial());
    }

    /** Closes all links for good. */
    public void stop() {
        stopped = true;
        for (int peer : served.keySet()) {
            leave(peer, "this replica stops");
        }
    }
}
