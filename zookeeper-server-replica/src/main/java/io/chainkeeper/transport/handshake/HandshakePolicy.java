package io.chainkeeper.transport.handshake;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.release.Release;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.WireRange;
import io.chainkeeper.transport.handshake.HandshakeMessage.Hello;
import io.chainkeeper.transport.handshake.HandshakeMessage.Purpose;
import io.chainkeeper.transport.handshake.HandshakeMessage.Refused;
import java.util.SortedSet;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Decides whether a hello comes from a peer that this replica may talk to. Knows no sockets. */
public final class HandshakePolicy {
    private final TransportSettings settings;
    private final Supplier<SortedSet<Integer>> members;
    private final Consumer<byte[]> nonces;

    /**
     * @param settings who this replica is
     * @param members ids of all members at the moment, this replica's included
     * @param nonces fills an array with bytes that nobody can guess
     */
    public HandshakePolicy(TransportSettings settings, Supplier<SortedSet<Integer>> members, Consumer<byte[]> nonces) {
        this.settings = settings;
        this.members = members;
        this.nonces = nonces;
    }

    /**
     * @param receiver the peer that the hello is meant for
     * @param purpose what the connection is for
     * @return this replica's hello, with what is known of the cluster at the moment
     */
    Hello hello(int receiver, Purpose purpose) {
        return hello(receiver, purpose, settings.clusterId(), settings.diskIdentity());
    }

    /**
     * @param asked hello of a side that has connected
     * @return this replica's answer, which names the cluster only to those who have named it
     */
    Hello answer(Hello asked) {
        boolean isKnown = asked.clusterId() != TransportSettings.UNKNOWN_CLUSTER;
        long clusterId = isKnown ? settings.clusterId() : TransportSettings.UNKNOWN_CLUSTER;
        return hello(asked.sender(), asked.purpose(), clusterId, Credentials.NO_DISK);
    }

    private Hello hello(int receiver, Purpose purpose, long clusterId, ByteSlice disk) {
        byte[] nonce = new byte[Credentials.NONCE_BYTES];
        nonces.accept(nonce);
        return new Hello(
                settings.replicaId(),
                receiver,
                settings.incarnation(),
                clusterId,
                settings.executionProfile(),
                purpose,
                settings.protocol(),
                new PeerRelease(Release.name(), settings.featureLevels(), settings.featureLevel(), settings.wire()),
                new Credentials(settings.secret() != null, ByteSlice.of(nonce), disk, ByteSlice.EMPTY));
    }

    /**
     * Tells which connections only their address speaks for: those that ask for state, and those that link up without
     * knowing the cluster although this replica has one.
     *
     * @param hello of a side that has connected and proves nothing
     * @return whether the host of the sender's server.N line has to lead to the address that the connection comes from
     */
    public boolean dependsOnAddress(Hello hello) {
        boolean knowsCluster =
                settings.clusterId() == TransportSettings.UNKNOWN_CLUSTER || hello.clusterId() == settings.clusterId();
        return hello.purpose() == Purpose.STATE || !knowsCluster;
    }

    /**
     * @param hello of a side that has connected, which {@link #dependsOnAddress}
     * @param configured where the sender is meant to be
     * @param remote where the connection comes from
     * @return the refusal
     */
    public Refused refusalOfAddress(Hello hello, PeerAddress configured, Object remote) {
        String peer = "replica " + hello.sender() + " (" + remote + ")";
        String what = hello.purpose() == Purpose.STATE
                ? " asks for state, which this replica gives"
                : " does not know the cluster that this replica belongs to and would be let in";
        return new Refused(
                RefusalKind.UNPROVED,
                peer + " has not proved that it is a member: set ordering.secretFile on all servers",
                peer + what + " without authentication only at the address that " + configured
                        + " leads to: set ordering.secretFile, sslQuorum or quorum.auth.enableSasl on all servers, or"
                        + " correct the server." + hello.sender() + " line");
    }

    /**
     * Checks the hello of a connection that this replica has accepted.
     *
     * @param hello what the other side says
     * @param remote its address, for the reason
     * @return null if it may talk, else what differs and what to do, one line
     */
    public Refused refusalOfAccepted(Hello hello, Object remote) {
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
        Refused difference = difference(hello, peer);
        if (difference != null) {
            return difference;
        }
        // Near the end: a stranger may hope to be added only if nothing else speaks against it.
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
    public Refused refusalOfDialed(Hello hello, int expected, Purpose purpose, Object remote) {
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
        return difference(hello, peer);
    }

    /**
     * @param peer id as claimed or expected, {@link HandshakeMessage#UNKNOWN_SENDER} if neither is known
     * @param version that the other side speaks
     * @param remote address of the other side
     * @return what differs and what to do, one line
     */
    public Refused refusalOfVersion(int peer, int version, Object remote) {
        String who = peer == HandshakeMessage.UNKNOWN_SENDER ? "a replica" : "replica " + peer;
        return Refused.elsewhere(who + " (" + remote + ") speaks version " + version
                + " of the replica protocol, replica " + settings.replicaId() + " speaks version "
                + HandshakeMessage.VERSION + ": run releases from 0.2.0 on, at most one apart, on all servers");
    }

    /** What the other side must not learn goes to the own log only. */
    private Refused difference(Hello hello, String peer) {
        int self = settings.replicaId();
        if (!hello.protocol().equals(settings.protocol())) {
            return Refused.elsewhere(
                    peer + " orders with '" + HandshakeMessage.printable(hello.protocol()) + "', replica " + self
                            + " with '" + settings.protocol() + "': set the same ordering.protocol on all servers");
        }
        long clusterId = settings.clusterId();
        if (hello.clusterId() != TransportSettings.UNKNOWN_CLUSTER
                && clusterId != TransportSettings.UNKNOWN_CLUSTER
                && hello.clusterId() != clusterId) {
            String cure = ": one of them has the dataDir of another ensemble or a server.N line that points to one";
            return Refused.elsewhere(
                    peer + " belongs to another cluster than replica " + self + cure,
                    String.format(
                            "%s belongs to cluster %016x, replica %d to cluster %016x%s",
                            peer, hello.clusterId(), self, clusterId, cure));
        }
        Refused otherRelease = differenceOfRelease(hello.release(), peer);
        if (otherRelease != null) {
            return otherRelease;
        }
        if (!settings.profileRule().mayBeLinked(settings.executionProfile(), hello.executionProfile())) {
            String differs = peer + " has another execution profile than replica " + self;
            String settingsThatDiffer =
                    settings.profileRule().difference(settings.executionProfile(), hello.executionProfile(), peer);
            return Refused.elsewhere(
                    differs + ": the log of replica " + self + " says which settings must be made equal",
                    differs + ": "
                            + (settingsThatDiffer.isEmpty()
                                    ? "run the same release on all servers"
                                    : settingsThatDiffer + "; set the same on all servers"));
        }
        return null;
    }

    /** Releases need not be the same: each has to know the level in force, and they have to speak with each other. */
    private Refused differenceOfRelease(PeerRelease other, String peer) {
        FeatureRange own = settings.featureLevels();
        FeatureLevel level = settings.featureLevel();
        String refusal = level.refusal(other.levels(), other.release());
        if (refusal != null) {
            return new Refused(RefusalKind.PEER_TOO_OLD, peer + " cannot take part: " + refusal);
        }
        refusal = other.level().refusal(own, Release.name());
        if (refusal != null) {
            return new Refused(
                    RefusalKind.TOO_OLD,
                    "replica " + settings.replicaId() + " cannot take part where " + peer + " does: " + refusal);
        }
        boolean noLevel = !own.overlaps(other.levels());
        if (noLevel || settings.wire().common(other.wire()) == WireRange.NONE) {
            return Refused.elsewhere(peer + " runs release " + other.release() + " with "
                    + (noLevel ? other.levels() : other.wire() + " of the frames") + ", replica "
                    + settings.replicaId() + " release " + Release.name() + " with " + (noLevel ? own : settings.wire())
                    + ": run releases at most one apart on all servers");
        }
        return null;
    }
}
