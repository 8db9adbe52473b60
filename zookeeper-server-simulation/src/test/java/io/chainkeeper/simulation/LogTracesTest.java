package io.chainkeeper.simulation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.LogTraces;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.SettingKeys;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.Test;

/** Whose log it is shows after each record that a run appends, also in logs that do not bear the protocol's name. */
public class LogTracesTest {
    private static final int SEEDS = 12;

    private long told;

    @Test
    public void chain_isToldByItsLog() {
        run("chain", "iss");
    }

    @Test
    public void iss_isToldByItsLog() {
        run("iss", "chain");
    }

    private void run(String writer, String other) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            Simulation.run(new Watched(Protocols.named(writer), Protocols.named(other)), seed);
        }
        assertTrue(Long.toString(told), told > 1_000);
    }

    /** What one start of a replica has appended; earlier ones only make what is told clearer. */
    private final class Traces {
        private final Watched protocol;
        private final Map<Integer, LogRecord> metadata = new TreeMap<>();
        private final Set<Integer> kinds = new TreeSet<>();

        private Traces(Watched protocol) {
            this.protocol = protocol;
        }

        private void appended(LogRecord record) {
            if (record.position() == LogRecord.METADATA) {
                metadata.put(record.kind(), record);
            } else {
                kinds.add(record.kind());
            }
            LogTraces traces = new LogTraces(metadata.values(), kinds);
            assertEquals("another protocol's, after " + record, false, protocol.other.mayHaveWritten(traces));
            told += protocol.writer.mayHaveWritten(traces) ? 1 : 0;
        }
    }

    private final class Watched implements OrderingProtocolFactory {
        private final OrderingProtocolFactory writer;
        private final OrderingProtocolFactory other;

        private Watched(OrderingProtocolFactory writer, OrderingProtocolFactory other) {
            this.writer = writer;
            this.other = other;
        }

        @Override
        public String name() {
            return writer.name();
        }

        @Override
        public SettingKeys settings() {
            return writer.settings();
        }

        @Override
        public MessageCodec codec() {
            return writer.codec();
        }

        @Override
        public int streamCount(int memberCount) {
            return writer.streamCount(memberCount);
        }

        @Override
        public OrderingProtocol create(ProtocolContext context, Effects effects) {
            Traces traces = new Traces(this);
            Effects watched = (Effects) Proxy.newProxyInstance(
                    Effects.class.getClassLoader(), new Class<?>[] {Effects.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("append")) {
                            traces.appended((LogRecord) arguments[0]);
                        }
                        return method.invoke(effects, arguments);
                    });
            return writer.create(context, watched);
        }
    }
}
