package io.chainkeeper.simulation.scenario;

import static io.chainkeeper.simulation.scenario.ManualEnsemble.ids;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.acceptor.ReplicaIdentity;
import io.chainkeeper.simulation.Protocols;
import io.chainkeeper.simulation.host.StoredLog;
import io.chainkeeper.simulation.register.ClientOperation;
import io.chainkeeper.simulation.scenario.ManualWorld.Link;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.After;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * Which replicas found a cluster, with disks that get lost meanwhile (docs/decisions/022-founding.md). Runs for every
 * protocol.
 */
@RunWith(Parameterized.class)
public class FoundingTest {
    private static final int ALL = Integer.MAX_VALUE;

    private final OrderingProtocolFactory factory;
    private ManualEnsemble ensemble;

    public FoundingTest(String protocol) {
        this.factory = Protocols.named(protocol);
    }

    @Parameters(name = "{0}")
    public static List<String> protocols() {
        return Protocols.all().values().stream()
                .filter(factory -> factory.sharedDisks() == null) // these remember for servers without a directory
                .map(OrderingProtocolFactory::name)
                .toList();
    }

    @After
    public void whatClientsSaw_isLinearizable() {
        ensemble.assertAllEqual();
        ensemble.assertLinearizable();
    }

    @After
    public void disks_areRemoved() {
        ensemble.world().close();
    }

    private ManualWorld world() {
        return ensemble.world();
    }

    /** Started and linked, with their disks' numbers on disk; nothing has been received. */
    private void startBlank(int replicas, Integer... running) {
        ensemble = new ManualEnsemble(factory, replicas, Ensemble.of(ids(replicas)));
        for (int id : running) {
            world().start(id);
        }
        for (int id : running) {
            world().sync(id);
        }
    }

    /** Everything that others have said to a replica arrives, its founding reaches its disk, and it crashes. */
    private void foundAndCrash(int id, Integer... others) {
        for (int other : others) {
            world().deliver(new Link(other, id), ALL);
        }
        world().sync(id);
        assertTrue("replica " + id + " founds", isFounder(id));
        ensemble.crash(id);
    }

    private boolean isFounder(int id) {
        LogRecord record = world().replica(id).log().metadata(ReplicaIdentity.DISK);
        return record != null && record.head().asByteBuffer().get(Long.BYTES) == 1;
    }

    /** 3 has founded and promised nothing yet; the disk that takes the place of 2's is none that it founded with. */
    @Test
    public void founderLosesItsDiskAfterTheFirstWrite_blankAndUnpromisedFounderDoNotBeginAnew() {
        startBlank(3, 1, 2, 3);
        foundAndCrash(3, 1, 2);
        ensemble.awaitAnswered(ensemble.write(1, "acknowledged by 1 and 2"));
        ensemble.crash(1);
        ensemble.crash(2);
        world().loseDisk(2);
        ensemble.start(List.of(2, 3));
        ClientOperation write = ensemble.write(3, "needs what 1 knows");
        ensemble.assertNeverAnswered(write);
        assertFalse(isFounder(2));
        ensemble.start(List.of(1));
        ensemble.awaitAnswered(write);
        ensemble.await("2 votes again", () -> world().host(2).isVoter());
        ensemble.crash(1);
        ensemble.awaitAnswered(ensemble.write(2, "2 and 3 are a quorum"));
    }

    /** 2 has come to nothing when it crashes, but its disk is the one that 1 has founded with. */
    @Test
    public void companionOfAFounderComesBackBlank_foundsWithIt() {
        startBlank(3, 1, 2);
        world().deliver(new Link(2, 1), ALL);
        ensemble.crash(2);
        world().sync(1);
        assertTrue(isFounder(1));
        ensemble.start(List.of(2));
        assertTrue(isFounder(2));
        ensemble.awaitAnswered(ensemble.write(2, "by 2"));
    }

    /** Nobody can have counted on a promise of the lost disk: all others say that they have made none themselves. */
    @Test
    public void nobodyHasPromisedAnything_replicaWithANewDiskFoundsToo() {
        startBlank(2, 1, 2);
        foundAndCrash(2, 1);
        ensemble.crash(1);
        world().loseDisk(1);
        ensemble.start(ids(2));
        ensemble.awaitAnswered(ensemble.write(1, "by 1"));
    }

    /** The price of not telling a lost disk from one that was never there. */
    @Test
    public void onlyCompanionOfAFounderIsGone_newDiskOfAnotherWaitsForIt() {
        startBlank(3, 1, 2);
        foundAndCrash(1, 2);
        ensemble.crash(2);
        ensemble.start(List.of(1, 3));
        ClientOperation write = ensemble.write(3, "waits for 2");
        ensemble.assertNeverAnswered(write);
        world().loseDisk(2);
        ensemble.start(
                List.of(2)); // with another disk: 2 and 3 are both blank, and 1 says that it has promised nothing
        ensemble.awaitAnswered(write);
    }

    @Test
    public void numberOfTheDiskIsNotDurable_nobodyIsToldOfIt() {
        ensemble = new ManualEnsemble(factory, 2, Ensemble.of(ids(2)));
        world().holdDisk(2, true);
        ensemble.start(ids(2));
        ensemble.pass(20);
        assertFalse("1 founds with a disk that 2 may forget", isFounder(1));
        ensemble.crash(2);
        assertNull(world().replica(2).log().metadata(ReplicaIdentity.DISK));
        world().holdDisk(2, false);
        ensemble.start(List.of(2));
        ensemble.awaitAnswered(ensemble.write(1, "by 1"));
    }

    /** What releases before companions were named have left on disk. */
    @Test
    public void directoriesFoundedWithoutNames_openAndGoOn() throws IOException {
        ensemble = new ManualEnsemble(factory, 3, Ensemble.of(ids(3)));
        for (int id : ids(3)) {
            ByteBuffer head = ByteBuffer.allocate(Long.BYTES + 1 + 3 * Integer.BYTES);
            head.putLong(id).put((byte) 1);
            ids(3).forEach(head::putInt);
            StoredLog log = world().replica(id).log();
            log.append(new LogRecord(
                    LogRecord.METADATA, ReplicaIdentity.DISK, ByteSlice.of(head.array()), ByteSlice.EMPTY));
            log.sync();
            log.kill(0);
        }
        ensemble.start(List.of(1, 2));
        ensemble.awaitAnswered(ensemble.write(1, "of the founders"));
        world().loseDisk(3);
        ensemble.start(List.of(3));
        ensemble.await("3 votes", () -> world().host(3).isVoter());
        assertFalse("3 is admitted by the order", isFounder(3));
        assertEquals(3, world().checker().membership().members().size());
    }
}
