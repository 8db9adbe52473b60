package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.server.bootstrap.ThreadlessReplica;
import io.chainkeeper.server.bootstrap.ThreadlessSettings;
import io.chainkeeper.server.storage.CheckpointRequest;
import io.chainkeeper.server.storage.LoggedFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * A snapshot that somebody asks for while the apply thread is at work, at whatever moment: its checkpoint belongs to
 * one position. If it held a command as applied that its tree lacks, whoever starts from it would never execute that
 * one.
 */
public final class CheckpointCaptureTest {
    private static final int TIMEOUT_MILLIS = 4_000;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final Failures failures = new Failures();
    private final Map<Long, ByteSlice> tableAt = new ConcurrentHashMap<>();
    private final List<String> wrong = new ArrayList<>();
    private long hash = PrefixHash.EMPTY;
    private ThreadlessReplica replica;
    private ApplyThread applyThread;

    @Before
    public void open() throws Exception {
        ThreadlessSettings settings = new ThreadlessSettings(
                1, Ensemble.of(List.of(1)), 2_000, TIMEOUT_MILLIS, TIMEOUT_MILLIS, 0, 0, ReadConsistency.LINEARIZABLE);
        replica = new ThreadlessReplica(
                settings,
                new NoTime(),
                new LoggedFiles(folder.getRoot().toPath(), folder.getRoot().toPath()),
                null,
                failures);
        Watched watched = new Watched(replica.application());
        tableAt.put(0L, watched.proposerTable().encode());
        ThreadScheduler threads = ThreadScheduler.INSTANCE;
        applyThread = new ApplyThread(watched, new OwnCommands(1, 1, 1, 1 << 20, threads), () -> {}, failures, threads);
    }

    @After
    public void close() throws Exception {
        applyThread.close();
    }

    private void deliver(long position, ProposedCommand... commands) {
        ByteSlice value = BatchCodec.encode(List.of(commands));
        hash = PrefixHash.next(hash, position, value);
        applyThread.deliver(position, value, hash);
    }

    private static ProposedCommand command(long sequence) {
        return new ProposedCommand(2, 7, 0, sequence, CommandCodec.encode(new Command.NoOp(1)));
    }

    private void execute(long last) throws Exception {
        applyThread.start();
        applyThread.close();
        assertEquals(List.of(), failures.messages());
        assertEquals(last, applyThread.appliedPosition());
        assertEquals(List.of(), wrong);
    }

    @Test
    public void capturedBeforeACommandIsExecuted_doesNotCallItApplied() throws Exception {
        deliver(1, command(1), command(2));
        deliver(2, command(3));
        execute(2);
    }

    /** Such as what an initial leader leaves empty in ISS, or a member that joins. */
    @Test
    public void capturedAtPositionsWithoutCommands_hasTheHashOfItsPosition() throws Exception {
        deliver(1);
        deliver(2, command(1));
        deliver(3, command(1));
        deliver(4);
        execute(4);
    }

    /** The replica's application; somebody asks for a snapshot at each of the apply thread's calls. */
    private final class Watched implements Application {
        private final Application application;

        Watched(Application application) {
            this.application = application;
        }

        private void capture(String when) {
            CheckpointRequest captured = replica.captureCheckpoint();
            if (captured != null && !captured.proposers().equals(tableAt.get(captured.position()))) {
                wrong.add("captured " + when + ": not the table of position " + captured.position());
            }
        }

        @Override
        public void positionBegins(long position) {
            capture("before position " + position);
            application.positionBegins(position);
        }

        @Override
        public void apply(long position, ProposedCommand command, Proposal own) {
            capture("in position " + position);
            application.apply(position, command, own);
        }

        @Override
        public void membershipChanged(long position, Membership membership) {
            application.membershipChanged(position, membership);
        }

        @Override
        public void positionApplied(long position) {
            tableAt.put(position, proposerTable().encode());
            capture("at the end of position " + position);
            application.positionApplied(position);
            capture("behind position " + position);
        }

        @Override
        public long recoveredPosition() {
            return application.recoveredPosition();
        }

        @Override
        public ProposerTable proposerTable() {
            return application.proposerTable();
        }

        @Override
        public Membership recoveredMembership() {
            return application.recoveredMembership();
        }

        @Override
        public void batchBegin() {
            application.batchBegin();
        }

        @Override
        public void batchEnd() {
            application.batchEnd();
        }

        @Override
        public void statusChanged(OrderingStatus status) {}

        @Override
        public void memberSilent(int member, boolean silent) {}

        @Override
        public void superseded(long incarnation) {}

        @Override
        public void stateNeeded(int fromPeer, long position) {}
    }

    /** Nothing of what is tested here takes time. */
    private static final class NoTime implements ThreadlessReplica.Surroundings {
        @Override
        public long monotonicMillis() {
            return 0;
        }

        @Override
        public long wallClockMillis() {
            return 1;
        }

        @Override
        public UUID newClusterId() {
            return new UUID(1, 1);
        }

        @Override
        public void execute(Runnable task) {}

        @Override
        public void everyMillis(long periodMillis, Runnable task) {}

        @Override
        public void afterMillis(long delayMillis, Runnable task) {}
    }
}
