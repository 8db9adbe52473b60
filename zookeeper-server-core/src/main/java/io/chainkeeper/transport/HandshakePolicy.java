package io.chainkeeper.transport;

import io.chainkeeper.transport.HandshakeMessage.Hello;
import io.chainkeeper.transport.HandshakeMessage.Purpose;
import io.chainkeeper.transport.HandshakeMessage.Refused;
import java.util.SortedSet;
import java.util.function.Supplier;

/** Decides whether a hello comes from a peer that this replica may talk to. Knows no sockets. */
final class HandshakePolicy {
    private final TransportSettings settings;
    private final Supplier<SortedSet<Integer>> members;

    /**
     * @param settings who this replica is
     * @param members ids of all members at the moment, this replica's included
     */
    HandshakePolicy(TransportSettings settings, Supplier<SortedSet<Integer>> members) {
        this.settings = settings;
        this.members = members;
    }

    /**
     * @param receiver the peer it is meant for
     * @param purpose what the connection is for
     * @return this replica's hello, with what is known of the cluster at the moment
     */
    Hello hello(int receiver, Purpose purpose) {
        return new Hello(
                settings.replicaId(),
                receiver,
                settings.incarnation(),
                settings.clusterId(),
                settings.executionProfile(),
                purpose,
                settings.protocol());
    }

    /**
     * Checks the hello of a connection that this replica has accepted.
     *
     * @param hello what the other side says
     * @param remote its address, for the reason
     * @return null if it may talk, else what differs and what to do, one line
     */
    Refused refusalOfAccepted(Hello hello, Object remote) {
        int self = settings.replicaId();
        String peer = "replica " + hello.sender() + " (" + remote + ")";
        if (hello.sender() == self) {
            return Refused.elsewhere(peer + " claims the id of replica " + self
                    + ", which it has reached: two servers have the same myid, or a server.N line points to the wrong"
                    + " server");
        }
        if (hello.receiver() != self) {
            return Refused.elsewhere(peer + " wanted to reach replica " + hello.receiver() + " but reached replica "
                    + self + ": correct the address of server." + hello.receiver()
                    + " in its zoo.cfg or in the name service");
        }
        String difference = difference(hello, peer);
        if (difference != null) {
            return Refused.elsewhere(difference);
        }
        // Last but one: a stranger may only hope to be added if nothing else speaks against it.
        SortedSet<Integer> known = members.get();
        if (!known.contains(hello.sender())) {
            return new Refused(
                    RefusalKind.NOT_A_MEMBER,
                    peer + " is not a member for replica " + self + ", which knows " + known
                            + ": add it with reconfig, or correct its myid or the server.N lines");
        }
        if (hello.purpose() == Purpose.LINK && hello.sender() < self) {
            return Refused.elsewhere(peer + " opened a connection to replica " + self
                    + ", but the member with the larger id opens it: run the same release on all servers");
        }
        return null;
    }

    /**
     * Checks the hello that answers a connection opened by this replica.
     *
     * @param hello what the other side says
     * @param expected the peer that was meant to be reached
     * @param purpose what the connection was opened for
     * @param remote its address, for the reason
     * @return null if it may talk, else what differs and what to do, one line
     */
    Refused refusalOfDialed(Hello hello, int expected, Purpose purpose, Object remote) {
        String peer = "replica " + expected + " (" + remote + ")";
        if (hello.sender() != expected) {
            return Refused.elsewhere(peer + " answers as replica " + hello.sender()
                    + ": correct the address of server." + expected + " on replica " + settings.replicaId()
                    + ", or the myid there");
        }
        if (hello.receiver() != settings.replicaId() || hello.purpose() != purpose) {
            return Refused.elsewhere(peer + " answers replica " + hello.receiver() + " for " + hello.purpose()
                    + " instead of replica " + settings.replicaId() + " for " + purpose
                    + ": run the same release on all servers");
        }
        String difference = difference(hello, peer);
        return difference == null ? null : Refused.elsewhere(difference);
    }

    /**
     * @param peer id as claimed or expected, {@link HandshakeMessage#UNKNOWN_SENDER} if neither is known
     * @param version what it speaks
     * @param remote its address
     * @return what differs and what to do, one line
     */
    Refused refusalOfVersion(int peer, int version, Object remote) {
        String who = peer == HandshakeMessage.UNKNOWN_SENDER ? "a replica" : "replica " + peer;
        return Refused.elsewhere(who + " (" + remote + ") speaks version " + version
                + " of the replica protocol, replica " + settings.replicaId() + " speaks version "
                + HandshakeMessage.VERSION + ": run the same release on all servers");
    }

    private String difference(Hello hello, String peer) {
        int self = settings.replicaId();
        if (!hello.protocol().equals(settings.protocol())) {
            return peer + " orders with '" + HandshakeMessage.printable(hello.protocol()) + "', replica " + self
                    + " with '" + settings.protocol() + "': set the same ordering.protocol on all servers";
        }
        long clusterId = settings.clusterId();
        if (hello.clusterId() != TransportSettings.UNKNOWN_CLUSTER
                && clusterId != TransportSettings.UNKNOWN_CLUSTER
                && hello.clusterId() != clusterId) {
            return String.format(
                    "%s belongs to cluster %016x, replica %d to cluster %016x: one of them has the dataDir of another"
                            + " ensemble or a server.N line that points to one",
                    peer, hello.clusterId(), self, clusterId);
        }
        if (hello.executionProfile() != settings.executionProfile()) {
            return String.format(
                    "%s has execution profile %016x, replica %d has %016x: settings that influence the execution of"
                            + " requests (jute.maxbuffer, skipACL, digest, TTL, ACL providers) must be equal on all"
                            + " servers",
                    peer, hello.executionProfile(), self, settings.executionProfile());
        }
        return null;
    }
}
