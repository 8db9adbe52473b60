package io.chainkeeper.simulation.scenario;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.checker.History;
import io.chainkeeper.simulation.checker.LinearizabilityChecker;
import io.chainkeeper.simulation.checker.VersionedRegister;
import io.chainkeeper.simulation.checker.VersionedRegister.State;
import io.chainkeeper.simulation.checker.VersionedRegister.Write;
import io.chainkeeper.simulation.register.ClientOperation;
import io.chainkeeper.simulation.register.RegisterMachine;
import io.chainkeeper.simulation.register.RegisterReplica;
import io.chainkeeper.simulation.scenario.ManualWorld.Link;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * Replicas of any protocol in a {@link ManualWorld}, and clients that write and read one register. The order is checked
 * with every delivery, what the clients saw by {@link #assertLinearizable}.
 */
final class ManualEnsemble {
    /** Longer than any timeout of any protocol with its default settings, and longer than several in a row. */
    private static final int PATIENCE_TICKS = 600;

    private static final String REGISTER = "r";

    private final AtomicLong order = new AtomicLong();
    private final History history = new History(order::incrementAndGet);
    private final int replicaCount;
    private final ManualWorld world;

    /**
     * @param factory the protocol
     * @param replicaCount how many replicas there may ever be, from 1 on
     * @param ensemble configured at first
     */
    ManualEnsemble(OrderingProtocolFactory factory, int replicaCount, Ensemble ensemble) {
        this.replicaCount = replicaCount;
        world = new ManualWorld(
                factory, replicaCount, ensemble, Map.of(), new Trace(new EventQueue(), (id, what, number, more) -> {}));
    }

    /** All of them participants, started and able to order. */
    static ManualEnsemble started(OrderingProtocolFactory factory, int replicas) {
        ManualEnsemble ensemble = new ManualEnsemble(factory, replicas, Ensemble.of(ids(replicas)));
        ensemble.start(ids(replicas));
        ensemble.awaitAnswered(ensemble.write(1, "first"));
        return ensemble;
    }

    static List<Integer> ids(int count) {
        return IntStream.rangeClosed(1, count).boxed().toList();
    }

    ManualWorld world() {
        return world;
    }

    // ---------------------------------------------------------------- replicas and links

    void start(List<Integer> ids) {
        ids.forEach(world::start);
        world.run();
    }

    void restart(int id) {
        start(List.of(id));
    }

    /** What is not durable is lost. */
    void crash(int id) {
        world.crash(id, 0);
    }

    List<Integer> running() {
        return ids(replicaCount).stream()
                .filter(id -> world.replica(id).isRunning())
                .toList();
    }

    /** Links between these and those break and stay broken. */
    void separate(List<Integer> these, List<Integer> those) {
        for (int one : these) {
            for (int other : those) {
                Link link = new Link(one, other);
                world.cut(link);
                world.cut(link.reversed());
                world.breakLink(link);
            }
        }
    }

    void heal() {
        for (int one : ids(replicaCount)) {
            for (int other : ids(replicaCount)) {
                if (one != other) {
                    world.heal(new Link(one, other));
                }
            }
        }
        world.run();
    }

    /** What is in flight between them is lost, and they are connected again. */
    void relink(int one, int other) {
        world.breakLink(new Link(one, other));
        world.connect(new Link(one, other));
    }

    // ---------------------------------------------------------------- clients and time

    /** A client of this replica asks; nothing is sent on yet. */
    ClientOperation write(int id, String value) {
        ClientOperation write = ClientOperation.write(
                history, id, REGISTER, new Write(value, VersionedRegister.ANY_VERSION), over -> {});
        RegisterReplica.of(world.host(id)).submit(id, write);
        world.settle();
        return write;
    }

    /** A client of this replica asks; nothing is sent on yet. */
    ClientOperation read(int id) {
        ClientOperation read = ClientOperation.read(history, id, REGISTER, over -> {});
        RegisterReplica.of(world.host(id)).submit(id, read);
        world.settle();
        return read;
    }

    /** Everything under way arrives, then a tick passes at each replica, and so on. */
    void pass(int ticks) {
        world.run();
        for (int i = 0; i < ticks; i++) {
            running().forEach(world::tick);
            world.run();
        }
    }

    /** Lets time pass until all have their answers. */
    void awaitAnswered(List<ClientOperation> operations) {
        world.run();
        for (int i = 0; i < PATIENCE_TICKS && !operations.stream().allMatch(ManualEnsemble::isAnswered); i++) {
            pass(1);
        }
        operations.forEach(operation -> assertTrue(operation + " has no answer", isAnswered(operation)));
    }

    void awaitAnswered(ClientOperation... operations) {
        awaitAnswered(Arrays.asList(operations));
    }

    static boolean isAnswered(ClientOperation operation) {
        return operation.outcome() != null;
    }

    /** Lets much time pass, after which these have no answers all the same. */
    void assertNeverAnswered(ClientOperation... operations) {
        pass(PATIENCE_TICKS);
        for (ClientOperation operation : operations) {
            assertNull(operation + " has an answer", operation.outcome());
        }
    }

    /** Lets time pass until this holds. */
    void await(String what, BooleanSupplier condition) {
        world.run();
        for (int i = 0; i < PATIENCE_TICKS && !condition.getAsBoolean(); i++) {
            pass(1);
        }
        assertTrue("in vain: " + what, condition.getAsBoolean());
    }

    /** All that run come to hold the same, which is what a client that asks now is told. */
    void assertAllEqual() {
        List<ClientOperation> reads = new ArrayList<>();
        running().forEach(id -> reads.add(read(id)));
        awaitAnswered(reads);
        long last = world.checker().lastPosition();
        await(
                "all have executed position " + last,
                () -> running().stream().allMatch(id -> world.host(id).position() >= last));
        State expected = register(running().get(0));
        for (int id : running()) {
            assertEquals("register of replica " + id, expected, register(id));
        }
    }

    State register(int id) {
        return RegisterReplica.of(world.host(id)).machine().read(REGISTER);
    }

    /** Checks what all clients have seen. */
    void assertLinearizable() {
        VersionedRegister register =
                new VersionedRegister(RegisterMachine.INITIAL.value(), RegisterMachine.INITIAL.version());
        new LinearizabilityChecker<>(register).check(history.operations());
    }
}
