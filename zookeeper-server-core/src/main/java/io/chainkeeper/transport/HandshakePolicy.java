package io.chainkeeper.transport;

import io.chainkeeper.transport.HandshakeMessage.Hello;

/** Decides whether a hello comes from a peer that this replica may talk to. Knows no sockets. */
final class HandshakePolicy {
    private final TransportSettings settings;

    /** @param settings who this replica is */
    HandshakePolicy(TransportSettings settings) {
        this.settings = settings;
    }

    /**
     * @param receiver the peer it is meant for
     * @return this replica's hello, with what is known of the cluster at the moment
     */
    Hello hello(int receiver) {
        return new Hello(
                settings.replicaId(),
                receiver,
                settings.incarnation(),
                settings.clusterId(),
                settings.executionProfile(),
                settings.protocol());
    }

    /**
     * Checks the hello of a connection that this replica has accepted.
     *
     * @param hello what the other side says
     * @param remote its address, for the reason
     * @return null if it may talk, else what differs and what to do, one line
     */
    String refusalOfAccepted(Hello hello, Object remote) {
        int self = settings.replicaId();
        String peer = "replica " + hello.sender() + " (" + remote + ")";
        if (hello.sender() == self) {
            return peer + " claims the id of replica " + self
                    + ", which it has reached: two servers have the same myid, or a server.N line points to the wrong"
                    + " server";
        }
        if (!settings.members().containsKey(hello.sender())) {
            return peer + " is not a member for replica " + self + ", which knows "
                    + settings.members().keySet() + ": correct its myid, or add its server.N line on all servers";
        }
        if (hello.receiver() != self) {
            return peer + " wanted to reach replica " + hello.receiver() + " but reached replica " + self
                    + ": correct the address of server." + hello.receiver() + " in its zoo.cfg or in the name service";
        }
        if (hello.sender() < self) {
            return peer + " opened a connection to replica " + self
                    + ", but the member with the larger id opens it: run the same release on all servers";
        }
        return difference(hello, peer);
    }

    /**
     * Checks the hello that answers a connection opened by this replica.
     *
     * @param hello what the other side says
     * @param expected the peer that was meant to be reached
     * @param remote its address, for the reason
     * @return null if it may talk, else what differs and what to do, one line
     */
    String refusalOfDialed(Hello hello, int expected, Object remote) {
        String peer = "replica " + expected + " (" + remote + ")";
        if (hello.sender() != expected) {
            return peer + " answers as replica " + hello.sender() + ": correct the address of server." + expected
                    + " on replica " + settings.replicaId() + ", or the myid there";
        }
        if (hello.receiver() != settings.replicaId()) {
            return peer + " answers replica " + hello.receiver() + " instead of replica " + settings.replicaId()
                    + ": run the same release on all servers";
        }
        return difference(hello, peer);
    }

    /**
     * @param peer id as claimed or expected, {@link HandshakeMessage#UNKNOWN_SENDER} if neither is known
     * @param version what it speaks
     * @param remote its address
     * @return what differs and what to do, one line
     */
    String refusalOfVersion(int peer, int version, Object remote) {
        String who = peer == HandshakeMessage.UNKNOWN_SENDER ? "a replica" : "replica " + peer;
        return who + " (" + remote + ") speaks version " + version + " of the replica protocol, replica "
                + settings.replicaId() + " speaks version " + HandshakeMessage.VERSION
                + ": run the same release on all servers";
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
