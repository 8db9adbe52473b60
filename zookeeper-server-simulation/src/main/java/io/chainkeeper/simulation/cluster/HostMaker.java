package io.chainkeeper.simulation.cluster;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.shareddisk.DiskSource;
import io.chainkeeper.simulation.host.HostRule;
import io.chainkeeper.simulation.host.HostSettings;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.host.SimulatedReplica;
import io.chainkeeper.simulation.host.StateMachine;
import io.chainkeeper.simulation.host.World;
import io.chainkeeper.simulation.order.OrderChecker;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Makes the hosts of replicas that start.
 *
 * @param random what is drawn
 * @param options settings and bounds of replicas
 * @param factory the protocol
 * @param trace told of everything
 * @param rules that hosts follow
 */
record HostMaker(
        SplittableRandom random,
        SwarmOptions options,
        OrderingProtocolFactory factory,
        Trace trace,
        Set<HostRule> rules) {
    /**
     * Numbers a start that has begun and makes its host, which is not started.
     *
     * @param replica what is under it
     * @param ensemble that stands in its own file
     * @param application recovered
     * @param disks what opens the disks that all share
     * @param world everything that takes time
     * @param checker told of every delivery and execution
     */
    ReplicaHost make(
            SimulatedReplica replica,
            Ensemble ensemble,
            StateMachine application,
            List<DiskSource> disks,
            World world,
            OrderChecker checker) {
        int id = replica.id();
        SplittableRandom ofProtocol = random.split();
        ProtocolContext context = new ProtocolContext(
                id,
                replica.nextIncarnation(application.proposerTable().incarnationOf(id), random::nextInt),
                ensemble,
                options.settingsOf(id),
                ofProtocol::nextInt,
                World.TICK_MILLIS,
                application.startKind());
        HostSettings settings = new HostSettings(
                options.checkpointEveryPositions(), options.linkChoice(), options.replicas(), options.limits());
        return new ReplicaHost(replica, application, factory, context, disks, settings, world, trace, checker);
    }

    /** A cluster of the same servers, whose time, network and clients have nothing to do with this one's. */
    Cluster anotherCluster(EventQueue time, Trace of, Workload clients, SplittableRandom drawn) {
        SplittableRandom ofDisks = drawn.split();
        return new Cluster(time, drawn, options.ofAnotherCluster(), of, factory, clients, rules, ofDisks);
    }
}
