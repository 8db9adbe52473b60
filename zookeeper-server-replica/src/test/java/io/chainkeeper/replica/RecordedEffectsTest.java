package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.DurableRecords;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** The contract of effects: after the input, in order, all or none. */
public class RecordedEffectsTest {
    private record Word(boolean isPromise) implements Message {
        @Override
        public boolean isKeptBy(DurableRecords log, int sender) {
            return true;
        }
    }

    private static final Message NEWS = new Word(false);
    private static final Message PROMISE = new Word(true);

    private final List<String> done = new ArrayList<>();
    private long given;
    private final RecordedEffects effects = new RecordedEffects(proxy(Effects.class));
    private Runnable input = () -> {};
    private final RecordedProtocol protocol = new RecordedProtocol(proxy(OrderingProtocol.class), effects);

    /** Notes what is called; the protocol does what the test says. */
    private <T> T proxy(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    if (type == OrderingProtocol.class) {
                        input.run();
                    } else {
                        done.add(method.getName());
                    }
                    return method.getName().equals("append") ? Long.valueOf(++given) : null;
                }));
    }

    private static LogRecord anyRecord() {
        return new LogRecord(1, 1, ByteSlice.EMPTY, ByteSlice.EMPTY);
    }

    @Test
    public void everyEffect_isCarriedOutAfterTheInputInOrder() {
        input = () -> {
            effects.send(2, NEWS);
            assertEquals(1, effects.append(anyRecord()));
            assertEquals(2, effects.append(anyRecord()));
            effects.sendAfter(2, 2, PROMISE);
            effects.deliver(1, ByteSlice.EMPTY, 0);
            effects.barrierReached(1);
            effects.truncate(1);
            effects.readLog(1, 1);
            effects.needState(2, 1);
            effects.refuse(2, "speaks in riddles");
            effects.statusChanged(new OrderingStatus(Role.LOOKING, 0, 0));
            effects.memberSilent(2, true);
            effects.orderContradicted(2, "at 1");
            effects.writeBlocks(0, 0, ByteSlice.EMPTY);
            effects.readBlocks(0, 0, 1);
            assertEquals(List.of(), done);
        };
        protocol.onTick();
        assertEquals(
                List.of(
                        "send",
                        "append",
                        "append",
                        "sendAfter",
                        "deliver",
                        "barrierReached",
                        "truncate",
                        "readLog",
                        "needState",
                        "refuse",
                        "statusChanged",
                        "memberSilent",
                        "orderContradicted",
                        "writeBlocks",
                        "readBlocks"),
                done);
    }

    @Test
    public void inputFails_noneOfItsEffectsIsCarriedOutEvenLater() {
        input = () -> {
            effects.send(2, NEWS);
            throw new InvariantViolated("broken");
        };
        assertThrows(InvariantViolated.class, protocol::onTick);
        input = () -> {};
        protocol.onTick();
        assertEquals(List.of(), done);
    }

    @Test
    public void promiseWithoutRecord_failsItsInput() {
        input = () -> effects.send(2, PROMISE);
        assertThrows(InvariantViolated.class, protocol::onTick);
        input = () -> effects.sendAfter(1, 2, PROMISE);
        assertThrows(InvariantViolated.class, protocol::onTick);
        assertEquals(List.of(), done);
    }

    @Test
    public void start_isCarriedOutInSteps() {
        input = () -> {
            for (int i = 1; i <= 1_000; i++) {
                effects.deliver(i, ByteSlice.EMPTY, 0);
            }
            assertEquals("all but the last step", 992, done.size());
        };
        protocol.onStart(null);
        assertEquals(1_000, done.size());
    }

    @Test
    public void effectOutsideOfAnyInput_isRefused() {
        assertThrows(InvariantViolated.class, () -> effects.deliver(1, ByteSlice.EMPTY, 0));
    }
}
