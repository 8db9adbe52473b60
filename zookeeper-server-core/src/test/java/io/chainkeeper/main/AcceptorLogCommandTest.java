package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.log.AcceptorLogs;
import io.chainkeeper.log.Durability;
import io.chainkeeper.log.LogStore;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.acceptor.AcceptedHead;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.replica.Replica;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.storage.Checkpoint;
import io.chainkeeper.server.storage.CheckpointStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.UUID;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.server.RequestRecord;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** {@code zkAcceptorLog.sh}: what it prints, what it finds, how it ends. */
public class AcceptorLogCommandTest {
    private static final long SESSION = 0x100000000000001L;
    private static final int POSITIONS = 6;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private ServerFiles files;
    private Path ordering;
    private String output;
    private String errors;

    @Before
    public void writeLog() throws IOException {
        files = new ServerFiles(folder.newFolder().toPath());
        ordering = files.dataDirectory.resolve("ordering");
        new ClusterIdentity(1, new UUID(1, 2), "named").write(ordering);
        write(1, POSITIONS);
        checkpoint(0);
    }

    private void write(long from, long to) throws IOException {
        try (AcceptorLog log =
                AcceptorLogs.open(ordering, LogStore.SEGMENTED, Durability.SYNC, AcceptorLogSettings.defaults())) {
            log.append(metadata(LogRecord.PROTOCOL_KIND, ByteSlice.of("named".getBytes(StandardCharsets.UTF_8))));
            log.append(metadata(
                    Replica.INCARNATION,
                    ByteSlice.of(ByteBuffer.allocate(Long.BYTES).putLong(77).array())));
            for (long position = from; position <= to; position++) {
                ByteSlice head = new AcceptedHead(new Ballot(3, 1), to).encode();
                log.append(new LogRecord(position, 2, head, value(position)));
                log.sync();
            }
        }
    }

    private static LogRecord metadata(int kind, ByteSlice head) {
        return new LogRecord(LogRecord.METADATA, kind, head, ByteSlice.EMPTY);
    }

    private static ByteSlice value(long position) {
        MultiOperationRecord multi = new MultiOperationRecord(List.of(
                Op.create("/made/" + position, new byte[3], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                Op.delete("/gone", -1)));
        return BatchCodec.encode(List.of(
                command(position, OpCode.multi, RequestRecord.fromRecord(multi).readBytes()),
                command(
                        position + 100,
                        OpCode.delete,
                        RequestRecord.fromRecord(new DeleteRequest("/a\n", 1)).readBytes())));
    }

    private static ProposedCommand command(long sequence, int opcode, byte[] payload) {
        Command command = new Command.ClientRequest(
                5, SESSION, 9, opcode, List.of(), ByteSlice.of(payload), Command.ClientRequest.QUOTA_KEPT);
        return new ProposedCommand(1, 77, 0, sequence, CommandCodec.encode(command));
    }

    private void checkpoint(long position) throws IOException {
        new CheckpointStore(ordering.resolve(CheckpointStore.DIRECTORY))
                .write(new Checkpoint(
                        position,
                        0x10,
                        0x20,
                        0x30,
                        new ProposerTable().encode(),
                        ReplicatedState.initial(0).encode()));
    }

    private int run(String... arguments) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        String[] all = new String[arguments.length + 1];
        all[0] = files.zooCfg.toString();
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        SortedMap<String, String> before = files.contents();
        int exit = new AcceptorLogCommand(
                        List.of(new NamedProtocol("named")), new PrintStream(out, true), new PrintStream(err, true))
                .run(all);
        output = out.toString(StandardCharsets.UTF_8);
        errors = err.toString(StandardCharsets.UTF_8);
        assertEquals("it wrote something", before, files.contents());
        return exit;
    }

    private Path segment() {
        return ordering.resolve("0000000001.log");
    }

    private void flip(Path file, int offset) throws IOException {
        byte[] content = Files.readAllBytes(file);
        content[offset] ^= 1;
        Files.write(file, content);
    }

    private static int indexOf(byte[] content, String text) {
        byte[] wanted = text.getBytes(StandardCharsets.UTF_8);
        int at = 0;
        while (!Arrays.equals(Arrays.copyOfRange(content, at, at + wanted.length), wanted)) {
            at++;
        }
        return at;
    }

    private void assertPrints(String text) {
        assertTrue(output, output.contains(text));
    }

    @Test
    public void wholeDirectory_isPrintedInTheProtocolsWords() throws IOException {
        assertEquals(errors, 0, run());
        assertPrints("segment 1, ");
        assertPrints("protocol named, ");
        assertPrints("incarnation 77, ");
        assertPrints("position 4 kind 2, head of 20 bytes; 2 commands, ");
        assertPrints(
                "    1.77#4 multi of 2 operations [create /made/4; delete /gone], session 0x100000000000001, cxid 9, ");
        assertPrints("    1.77#104 delete /a?, session ");
        assertPrints("identity: formatVersion=4");
        assertPrints("checkpoint.20: position 0, zxid 0x10, snapshot 0x20 with effects up to 0x30");
        assertPrints("Whole: 1 segments with 8 records, ");
        assertPrints("positions 1 to 6");
        assertEquals("", errors);
    }

    @Test
    public void placesThatCanBeGiven_areTheSame() throws IOException {
        run();
        String whole = output;
        for (Path place : List.of(files.zooCfg, files.dataDirectory, ordering)) {
            assertEquals(errors, 0, run(place.toString()));
            assertEquals(whole, output);
        }
        assertEquals(0, run("--verify", segment().toString()));
        assertPrints("Whole: 1 segments with 8 records");
        assertEquals(1, output.lines().count());
        assertEquals(0, run(ordering.resolve("checkpoints/checkpoint.20").toString()));
        assertPrints("Whole: 1 file; all checksums right");
    }

    @Test
    public void rangeOfPositions_isPrintedAndEverythingIsChecked() throws IOException {
        assertEquals(0, run("--from", "2", "--to", "3"));
        assertPrints("position 2 ");
        assertPrints("position 3 ");
        assertFalse(output, output.contains("position 4 ") || output.contains("incarnation"));
        assertPrints("with 8 records");
    }

    @Test
    public void flippedByte_isFoundInItsRecordAndTheOthersArePrinted() throws IOException {
        run();
        String place = output.lines()
                .filter(line -> line.contains("position 4 "))
                .findFirst()
                .orElseThrow()
                .strip();
        flip(segment(), indexOf(Files.readAllBytes(segment()), "/made/4"));
        assertEquals(1, run());
        String expected = segment() + ", byte " + place.substring(0, place.indexOf(' '))
                + ": the checksum of what the record of position 4 holds is wrong";
        assertTrue(errors, errors.startsWith(expected));
        assertPrints("DAMAGED: " + expected);
        assertPrints("position 5 ");
        assertPrints("Damaged: ");
        assertTrue(errors, errors.contains("a hole: position 4 has no record"));
        assertEquals(1, run("--verify"));
        assertEquals(1, output.lines().count());
    }

    @Test
    public void unfinishedWriteAtTheEnd_isNoDamage() throws IOException {
        flip(segment(), indexOf(Files.readAllBytes(segment()), "/made/6"));
        assertEquals(errors, 0, run());
        assertPrints("unfinished: " + segment() + ", byte ");
        assertPrints("and an unfinished write at the end");
    }

    @Test
    public void damagedCheckpointAndIdentity_areNamed() throws IOException {
        flip(ordering.resolve("checkpoints/checkpoint.20"), 40);
        Files.writeString(ordering.resolve("identity"), "formatVersion=4\n");
        assertEquals(1, run("--verify"));
        assertTrue(errors, errors.contains("checkpoint.20: has a wrong checksum"));
        assertTrue(errors, errors.contains("identity is damaged"));
        assertEquals(2, errors.lines().count());
    }

    @Test
    public void identityIsNoText_isNamedAndTheOthersAreRead() throws IOException {
        Files.write(ordering.resolve("identity"), new byte[] {'f', (byte) 0xc3, '\n'});
        flip(ordering.resolve("checkpoints/checkpoint.20"), 40);
        assertEquals(errors, 1, run("--verify"));
        assertTrue(errors, errors.contains(ordering.resolve("identity") + " is damaged"));
        assertTrue(errors, errors.contains("checkpoint.20: has a wrong checksum"));
        assertEquals(2, errors.lines().count());
    }

    @Test
    public void positionsMissing_areAHoleUnlessACheckpointHasThem() throws IOException {
        write(9, 12);
        assertEquals(1, run("--verify"));
        assertTrue(errors, errors.contains("a hole: positions 7 to 8 have no record, but later ones have"));
        checkpoint(8);
        assertEquals(errors, 0, run("--verify"));
    }

    @Test
    public void beginningMissing_isAHole() throws IOException {
        Files.delete(segment());
        write(4, 6);
        assertEquals(1, run("--verify"));
        assertTrue(errors, errors.contains("a hole: positions 1 to 3 have no record"));
    }

    @Test
    public void wrongArguments_areRefusedInOneLine() throws IOException {
        assertRefused(2, "--unknown");
        assertRefused(2, "--from", "x");
        assertRefused(2, "--from");
        assertRefused(2, "--from", "5", "--to", "4");
        assertRefused(2, "a", "b");
        assertRefused(3, ordering.resolve("nothing").toString());
        assertRefused(3, folder.newFolder().toString());
    }

    private void assertRefused(int exit, String... arguments) throws IOException {
        assertEquals(errors, exit, run(arguments));
        assertEquals(errors, 1, errors.lines().count());
        assertEquals("", output);
    }
}
