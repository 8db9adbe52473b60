package io.chainkeeper.simulation.cluster;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.simulation.link.LinkOptions;
import io.chainkeeper.simulation.link.VirtualNetwork;
import io.chainkeeper.simulation.link.VirtualProcess;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.PeerTransport;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.netty.NettyPeerTransport;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The product's links between all replicas, over byte streams in virtual time. */
final class RealNetwork implements Network {
    private static final int PORT = 2_888;

    private final String protocol;
    private final LinkOptions options;
    private final EventQueue events;
    private final SplittableRandom random;
    private final VirtualNetwork network;
    private final Map<Integer, VirtualProcess> processes = new TreeMap<>();
    private final Map<Integer, PeerAddress> members = new TreeMap<>();

    /**
     * @param replicas their ids are 1 to this
     * @param protocol its name
     * @param options how links behave
     * @param events virtual time
     * @param random what is drawn
     * @param trace told of what goes wrong
     */
    RealNetwork(
            int replicas,
            String protocol,
            LinkOptions options,
            EventQueue events,
            SplittableRandom random,
            Trace trace) {
        this.protocol = protocol;
        this.options = options;
        this.events = events;
        this.random = random;
        this.network = new VirtualNetwork(replicas, events, random.split(), options.habits(), trace, events::step);
        for (int id = 1; id <= replicas; id++) {
            members.put(id, new PeerAddress(VirtualNetwork.hostName(id), PORT));
        }
    }

    @Override
    public PeerTransport transport(
            int id,
            long incarnation,
            int disk,
            VirtualProcess.Clock clock,
            FeatureRange levels,
            Supplier<FeatureLevel> level,
            LongSupplier cluster) {
        VirtualProcess process = network.start(id, clock);
        processes.put(id, process);
        ByteBuffer identity = ByteBuffer.allocate(TransportSettings.DISK_IDENTITY_BYTES);
        identity.putInt(id).putInt(disk);
        TransportSettings settings = TransportSettings.builder(id, protocol, members)
                .incarnation(incarnation)
                .clusterId(cluster)
                .limits(options.limits())
                .diskIdentity(ByteSlice.of(identity.array()))
                .resolver(network.resolver(id))
                .featureLevels(levels, level)
                .build();
        return new NettyPeerTransport(settings, process);
    }

    @Override
    public void breakLink(int one, int other) {
        network.reset(one, other);
    }

    @Override
    public void cut(int from, int to) {
        network.cut(from, to);
    }

    @Override
    public void heal(int from, int to) {
        network.heal(from, to);
    }

    @Override
    public int cuts() {
        return network.cuts();
    }

    @Override
    public void slow(int from, int to, int factor) {
        network.slow(from, to, factor);
    }

    @Override
    public void started(int replica) {
        // Its links have begun to connect by themselves.
    }

    @Override
    public void crashed(int replica) {
        processes.remove(replica);
        network.crash(replica, random.nextBoolean());
    }

    @Override
    public void ended(int replica) {
        processes.remove(replica);
        network.crash(replica, false);
    }

    @Override
    public void paused(int replica, long untilMicros) {
        VirtualProcess process = processes.get(replica);
        if (process != null) {
            process.pause(untilMicros);
        }
    }

    @Override
    public boolean reaches(int from, int to) {
        return processes.containsKey(from) && processes.containsKey(to) && !network.isCut(from, to);
    }

    @Override
    public void end() {
        network.end();
    }

    @Override
    public void healAll() {
        network.calm();
    }
}
