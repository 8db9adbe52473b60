package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.transport.PeerTransport;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** The numbers that a replica reports. */
public final class ReplicaGaugesTest {
    private static final ReplicaLimits LIMITS = new ReplicaLimits(1 << 20, 1_000, 2_000, 1 << 20, 100, 1 << 20, 10, 10);

    /** Its parts do nothing; each answers a call with the first of these answers that has the right type. */
    private static <T> T stub(Class<T> type, Object... answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    for (Object answer : answers) {
                        if (method.getReturnType().isInstance(answer)) {
                            return answer;
                        }
                    }
                    return method.getReturnType() == int.class ? 1 : null;
                }));
    }

    @Test
    public void replicaHasNotTickedYet_itsGaugesHaveTheirNames() throws IOException {
        OrderingProtocol protocol = stub(OrderingProtocol.class, Map.of("ballot_round", 3L));
        Replica replica = new Replica(
                1,
                1,
                Ensemble.of(List.of(1)),
                stub(OrderingProtocolFactory.class, stub(MessageCodec.class), protocol),
                Map.of(),
                ProtocolContext.Start.ORDINARY,
                new ScriptedAcceptorLog().log(),
                stub(PeerTransport.class),
                new RecordingApplication(),
                LIMITS,
                (message, cause) -> {},
                ThreadScheduler.INSTANCE);
        assertEquals(3, (long) replica.gauges().get("ballot_round"));
        assertTrue(replica.gauges().containsKey("applied_position"));
    }
}
