package io.chainkeeper.server.execution;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.release.Release;
import io.chainkeeper.server.state.FeatureState.Runs;
import io.chainkeeper.server.state.ReleaseMismatch;
import io.chainkeeper.server.state.ReplicatedState;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.Test;

/** What is ordered and not known to a release stops its replica, by name. */
public class FeatureExecutorTest {
    private static final FeatureRange FIRST = new FeatureRange(1, 1);
    private static final FeatureRange FIRST_TWO = new FeatureRange(1, 2);
    private static final FeatureLevel SECOND = new FeatureLevel(2, "0.2.0");

    private final List<Object> told = new ArrayList<>();
    private final ReplicatedState state = ReplicatedState.initial(0);

    private FeatureExecutor executor(FeatureLevel level, FeatureRange known) {
        if (level.number() != FeatureRange.NO_LEVEL) {
            state.formed(new UUID(1, 2), 3, level);
        }
        ExecutionEvents events = (ExecutionEvents) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ExecutionEvents.class}, (proxy, method, arguments) -> {
                    told.add(method.getName() + " " + arguments[0]);
                    return null;
                });
        return new FeatureExecutor(known, state, events);
    }

    private static void unreadable(FeatureExecutor executor, byte... command) {
        ByteSlice bytes = ByteSlice.of(command);
        MalformedMessageException why = assertThrows(MalformedMessageException.class, () -> CommandCodec.decode(bytes));
        executor.unreadable(77, new ProposedCommand(3, 1, 0, 1, bytes), why);
    }

    @Test
    public void unknownTypeOrVersion_stopsTheReplica() {
        for (byte[] command : new byte[][] {
            {CommandCodec.VERSION, 99, 0, 0, 0, 0, 0, 0, 0, 0},
            {9, 12, 0, 0, 0, 0, 0, 0, 0, 0}
        }) {
            for (FeatureLevel level : List.of(FeatureLevel.NONE, SECOND)) {
                FeatureExecutor executor = executor(level, FIRST_TWO);
                String said = assertThrows(ReleaseMismatch.class, () -> unreadable(executor, command))
                        .getMessage();
                assertTrue(
                        said,
                        said.startsWith("replica 3 has ordered something at position 77 that this release, "
                                + Release.name() + ", does not know"));
            }
        }
    }

    /** All who have executed such an order have skipped it. */
    @Test
    public void unknownType_isSkippedAtTheFirstLevel() {
        byte[] command = {CommandCodec.VERSION, 99, 0, 0, 0, 0, 0, 0, 0, 0};
        unreadable(executor(FeatureLevel.FIRST, FIRST_TWO), command);
    }

    @Test
    public void damagedCommandOfAKnownType_isSkippedByAll() {
        unreadable(executor(SECOND, FIRST_TWO), CommandCodec.VERSION, (byte) 12, (byte) 0);
    }

    @Test
    public void levelThatIsRaisedAboveWhatIsKnown_isNotedBeforeTheReplicaStops() {
        FeatureExecutor executor = executor(FeatureLevel.FIRST, FIRST);
        state.features().said(1, new Runs("0.2.0", FIRST_TWO));
        String said = assertThrows(
                        ReleaseMismatch.class,
                        () -> executor.raise(new Command.RaiseFeatureLevel(0, SECOND, List.of(1))))
                .getMessage();
        assertEquals(List.of("featureLevelInForce " + SECOND), told);
        assertTrue(said, said.contains("start release 0.2.0 or later"));
    }

    @Test
    public void levelThatSomebodyDoesNotKnow_isNotRaised() {
        FeatureExecutor executor = executor(FeatureLevel.FIRST, FIRST_TWO);
        state.features().said(1, new Runs("0.2.0", FIRST_TWO));
        executor.raise(new Command.RaiseFeatureLevel(0, SECOND, List.of(1, 2)));
        assertEquals(List.of(), told);
        assertEquals(FeatureLevel.FIRST, state.features().level());
    }
}
