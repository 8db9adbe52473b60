package io.chainkeeper.simulation.host;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.replica.Replica;
import io.chainkeeper.replica.ReplicaLimits;
import io.chainkeeper.simulation.Protocols;
import io.chainkeeper.simulation.disk.RunDirectory;
import io.chainkeeper.transport.PeerTransport;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.After;
import org.junit.Test;

/** A replica whose protocol is never run once it has started: what waits for it passes its bound, and that shows. */
public class ReplicaBoundsTest {
    private static final int FEW = 100;
    private static final int MANY = 10_000;

    private final RunDirectory directory = new RunDirectory();
    private final BoundsChecker checker = new BoundsChecker();
    private PeerTransport.Listener links;

    @After
    public void close() {
        directory.close();
    }

    private Replica replica() throws IOException {
        SimulatedReplica disk = new SimulatedReplica(
                1,
                1,
                () -> 0,
                AcceptorLogSettings.defaults(),
                EnumSet.allOf(HostRule.class),
                directory,
                new SplittableRandom(1));
        disk.beginStart();
        DrivenScheduler scheduler =
                new DrivenScheduler("replica 1", () -> 0, () -> 1, () -> 1, (part, reason, nanos, piece) -> {});
        Replica replica = new Replica(
                1,
                1,
                Ensemble.of(List.of(1, 2, 3)),
                Protocols.named("chain"),
                Map.of(),
                ProtocolContext.Start.ORDINARY,
                disk.log(),
                List.of(),
                nothing(PeerTransport.class),
                nothing(Application.class),
                ReplicaLimits.DEFAULT,
                (message, cause) -> {
                    throw new AssertionError(message, cause);
                },
                scheduler);
        replica.start();
        return replica;
    }

    private <T> T nothing(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> answer(method, given)));
    }

    /** What the replica needs to know, and nothing else. */
    private Object answer(Method method, Object[] given) {
        switch (method.getName()) {
            case "start" -> links = (PeerTransport.Listener) given[0];
            case "proposerTable" -> {
                return new ProposerTable();
            }
            default -> {
                if (method.getReturnType() == boolean.class) {
                    return false;
                }
                return method.getReturnType() == long.class ? 0L : null;
            }
        }
        return null;
    }

    private void linkComesAndGoes(int times) {
        for (int i = 0; i < times; i++) {
            links.onPeerUp(2);
            links.onPeerDown(2);
        }
    }

    @Test
    public void moreWaitsForTheProtocolThanMay_isFound() throws IOException {
        Replica replica = replica();
        linkComesAndGoes(FEW);
        replica.tellOccupancy(checker);
        assertEquals(2 * FEW, checker.peaks().get("mailbox_events").held());
        linkComesAndGoes(MANY);
        InvariantViolated found = assertThrows(InvariantViolated.class, () -> replica.tellOccupancy(checker));
        assertTrue(found.getMessage(), found.getMessage().contains("mailbox_events, the bound is"));
    }

    @Test
    public void replicaTells_allThatWaitsInItsHost() throws IOException {
        replica().tellOccupancy(checker);
        List<String> ofTheHost =
                List.of("mailbox_command_bytes", "mailbox_frame_bytes", "mailbox_events", "held_messages");
        assertTrue(checker.peaks().toString(), checker.peaks().keySet().containsAll(ofTheHost));
    }
}
