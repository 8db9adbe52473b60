package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.storage.Checkpoint;
import io.chainkeeper.server.storage.CheckpointStore;
import io.chainkeeper.server.transfer.InstalledState;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.UUID;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * What a {@code switch-protocol} leaves that is killed, at each of its steps; and what it takes the data of a server
 * for that has noted no name of its cluster.
 */
public class SwitchProtocolTest {
    private static final String FROM = "chain";
    private static final String TO = "other";
    private static final int REFUSED = 1;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private ServerFiles files;
    private Path ordering;
    private Path next;

    /** As a server without an acceptor log (ordering.durability=memory) leaves it. */
    @Before
    public void stopServer() throws IOException {
        files = new ServerFiles(folder.getRoot().toPath());
        ordering = files.dataDirectory.resolve("ordering");
        next = files.dataDirectory.resolve("ordering.next");
        new ClusterIdentity(1, new UUID(7, 7), FROM).write(ordering);
        Files.writeString(ordering.resolve("stopped"), "formatVersion=2\nzxid=0x5\nposition=7\n");
    }

    private int run(String... arguments) {
        PrintStream to = new PrintStream(said, true, StandardCharsets.UTF_8);
        String[] all = Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = files.zooCfg.toString();
        return new SwitchProtocol(List.of(new NamedProtocol(FROM), new NamedProtocol(TO)), to, to).run(all);
    }

    private void assertRefusedWithoutChange(String... arguments) throws IOException {
        SortedMap<String, String> before = files.contents();
        said.reset();
        assertTrue("exit code", run(arguments) != 0);
        String line = said.toString(StandardCharsets.UTF_8);
        assertTrue(line, line.contains("switch-protocol " + TO + " --yes"));
        assertEquals("one line: " + line, 1, line.lines().count());
        assertEquals(before, files.contents());
    }

    /** The last step: the old order is aside, the next one not yet in its place. */
    private void cutShortBeforeTheEnd() throws IOException {
        assertEquals(said.toString(StandardCharsets.UTF_8), 0, run(TO, "--yes"));
        Files.move(ordering, next);
    }

    @Test
    public void cutShort_noServerStartsOnIt() throws Exception {
        cutShortBeforeTheEnd();
        for (String protocol : List.of(FROM, TO, "zab")) {
            files.addLine("ordering.protocol=" + protocol);
            BadInputTest.assertRefused(files, REFUSED, "cut short", "switch-protocol " + TO + " --yes");
        }
    }

    @Test
    public void cutShort_isFinishedByTheSameCommandOnly() throws Exception {
        cutShortBeforeTheEnd();
        assertRefusedWithoutChange(FROM, "--yes");
        assertRefusedWithoutChange("zab", "--yes");
        SortedMap<String, String> before = files.contents();
        assertEquals("without consent", 1, run(TO));
        assertEquals(before, files.contents());
        assertEquals(0, run(TO, "--yes"));
        assertEquals(TO, ClusterIdentity.read(ordering).protocol());
        assertFalse(Files.exists(next));
    }

    /** What was prepared for another protocol, or at another time, must be there for no later command. */
    @Test
    public void cutShortBeforeAnythingWasMoved_theNextRunBeginsAnew() throws Exception {
        for (String to : List.of("zab", TO)) {
            Files.createDirectories(next);
            new ClusterIdentity(1, null, FROM).write(next);
            Files.writeString(next.resolve("of-earlier"), "");
            assertEquals(said.toString(StandardCharsets.UTF_8), 0, run(to, "--yes"));
            assertFalse("prepared for nobody", Files.exists(next));
            assertFalse(Files.exists(ordering.resolve("of-earlier")));
            if (to.equals("zab")) {
                Files.move(files.dataDirectory.resolve("ordering-of-chain-" + new UUID(7, 7)), ordering);
            }
        }
    }

    /** As a server leaves it that has noted no name; its checkpoint stands before or at zxid 5, where it stopped. */
    private void stopUnnamed(String formerEpoch, long position, long zxid, UUID cluster) throws IOException {
        new ClusterIdentity(1, null, FROM).write(ordering);
        Files.writeString(ordering.resolve("former-epoch"), formerEpoch);
        ReplicatedState state = ReplicatedState.initial(zxid);
        if (cluster != null) {
            state.formed(cluster, 1, FeatureLevel.FIRST);
        }
        new CheckpointStore(ordering.resolve(CheckpointStore.DIRECTORY))
                .write(new Checkpoint(position, zxid, zxid, zxid, new ProposerTable().encode(), state.encode()));
    }

    private String carriedOver() throws IOException {
        assertEquals(said.toString(StandardCharsets.UTF_8), 0, run(TO, "--yes"));
        assertEquals(TO, ClusterIdentity.read(ordering).protocol());
        return Files.readString(ordering.resolve("former-epoch")).trim();
    }

    @Test
    public void fetchedStateThatHasNotCaughtUp_isTheClusters() throws Exception {
        stopUnnamed("epoch=none\n", 7, 5, new UUID(7, 7));
        new InstalledState(7, true, ByteSlice.EMPTY).write(ordering);
        assertEquals("epoch=0", carriedOver());
    }

    @Test
    public void replayedLogThatHasNotCaughtUp_isTheClusters() throws Exception {
        stopUnnamed("epoch=none\n", 0, 0, null);
        assertEquals("epoch=0", carriedOver());
    }

    @Test
    public void standaloneDataOfNoCluster_staysThat() throws Exception {
        stopUnnamed("epoch=none\n", 0, 5, null);
        assertEquals("epoch=none", carriedOver());
    }

    @Test
    public void memberDataOfNoCluster_keepsItsEpoch() throws Exception {
        stopUnnamed("epoch=6\n", 0, 5, null);
        assertEquals("epoch=6", carriedOver());
    }

    /** Each four thousand million transactions take an epoch, and ZooKeeper starts on none that it has not accepted. */
    @Test
    public void epochHasGrownSinceTheDataWasMovedIn_zooKeeperHasAcceptedIt() throws Exception {
        Path version2 = files.dataDirectory.resolve("version-2");
        Files.writeString(version2.resolve("currentEpoch"), "5");
        Files.writeString(version2.resolve("acceptedEpoch"), "5");
        Files.writeString(ordering.resolve("stopped"), "formatVersion=2\nzxid=0x600000005\nposition=7\n");
        assertEquals(said.toString(StandardCharsets.UTF_8), 0, run("zab", "--yes"));
        assertEquals("6", Files.readString(version2.resolve("currentEpoch")));
        assertEquals("6", Files.readString(version2.resolve("acceptedEpoch")));
    }

    @Test
    public void laterEpochWasAccepted_itStays() throws Exception {
        Path version2 = files.dataDirectory.resolve("version-2");
        Files.writeString(version2.resolve("currentEpoch"), "5");
        Files.writeString(version2.resolve("acceptedEpoch"), "9");
        assertEquals(said.toString(StandardCharsets.UTF_8), 0, run("zab", "--yes"));
        assertEquals("0", Files.readString(version2.resolve("currentEpoch")));
        assertEquals("9", Files.readString(version2.resolve("acceptedEpoch")));
    }

    /** As of a follower of ZooKeeper that had got a snapshot and nothing more. */
    @Test
    public void snapshotWithoutTransactionsBehindIt_isWhereTheServerStands() throws Exception {
        stopUnnamed("epoch=5\n", 7, 0x500000003L, new UUID(7, 7));
        Files.writeString(ordering.resolve("stopped"), "formatVersion=2\nzxid=0x0\nposition=7\n");
        Path epoch = files.dataDirectory.resolve("version-2/currentEpoch");
        Files.writeString(epoch, "5");
        assertEquals(said.toString(StandardCharsets.UTF_8), 0, run("zab", "--yes"));
        String text = said.toString(StandardCharsets.UTF_8);
        assertTrue(text, text.contains("stands at zxid 0x500000003."));
        assertTrue(text, text.contains("All must stand at 0x500000003"));
        assertEquals("5", Files.readString(epoch));
    }

    @Test
    public void withoutConsent_nothingIsChanged() throws Exception {
        SortedMap<String, String> before = files.contents();
        assertEquals(1, run(TO));
        assertEquals(before, files.contents());
    }
}
