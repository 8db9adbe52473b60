package io.chainkeeper.command;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FeatureRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.Test;

public class CommandCodecTest {
    private static final List<Command> COMMANDS = List.of(
            new Command.ClientRequest(
                    1234567890123L,
                    0x7f00000000000001L,
                    -3,
                    5,
                    List.of(new AuthId("digest", "ü:hash"), new AuthId(null, ""), new AuthId("ip", null)),
                    ByteSlice.of(new byte[] {1, 2, 3}),
                    2),
            new Command.ClientRequest(0, 0, 0, -11, null, null, Command.ClientRequest.QUOTA_KEPT),
            new Command.ClientRequest(0, 1, 0, 1, List.of(), ByteSlice.EMPTY, 0),
            new Command.ClientRequest(0, 1, 0, 1, null, ByteSlice.EMPTY, 0, true, 0),
            new Command.ClientRequest(0, 1, 0, 1, null, ByteSlice.EMPTY, 0, true, 3),
            new Command.ClientRequest(0, 1, 0, 21, null, null, 0, false, Command.ClientRequest.NO_TIMES_TO_LIVE | 3),
            new Command.ClientRequest(0, 1, 0, 1, List.of(new AuthId("a", "b")), null, 0, false, 1),
            new Command.ClientRequest(0, 1, 0, 1, List.of(), ByteSlice.EMPTY, 0, false, 0, new AccessRules(true, null)),
            new Command.ClientRequest(0, 1, 0, 1, null, null, 0, true, 7, new AccessRules(false, "\u00fc")),
            new Command.Attach(7, 8, 30_000),
            new Command.Expire(7, 8, Command.Expire.NO_OWNER, 12),
            new Command.Orphan(7, 3, Long.MAX_VALUE),
            new Command.ReplicaStarted(7, -1, null, List.of(), 0),
            new Command.ReplicaStarted(
                    7, -1, new ImportedState(ImportedState.Kind.MEMBER, 5, 6, -7), List.of(2, 3), 1L << 40),
            new Command.ReplicaStarted(7, -1, null, List.of(), 0, new TreeMap<>()),
            new Command.ReplicaStarted(
                    7, -1, null, List.of(2), 9, new TreeMap<>(Map.of("\u00fc", "a.B", "key", "c.D x=y"))),
            new Command.ClusterFormed(
                    7,
                    new UUID(1, -2),
                    99,
                    List.of(1, 2, 5),
                    "",
                    null,
                    new ImportedState(ImportedState.Kind.STANDALONE, 0, 6, 7)),
            new Command.ClusterFormed(
                    7, new UUID(1, -2), 99, List.of(1), "server.1=a:1:2:participant\nversion=0", new UUID(-3, 4), null),
            new Command.ReplicaStarted(
                    7, -1, null, List.of(), 9, new TreeMap<>(Map.of("a", "b")), "0.2.0", new FeatureRange(1, 2)),
            new Command.ReplicaStarted(7, -1, null, List.of(1), 0, null, "0.3.0-rc1", new FeatureRange(2, 2)),
            new Command.ClusterFormed(7, new UUID(1, -2), 99, List.of(1), "", null, null, new FeatureLevel(2, "0.2.0")),
            new Command.RaiseFeatureLevel(7, new FeatureLevel(3, "0.3.0"), List.of(1, 2, 255)),
            new Command.PlanEnsemble(7, 8, -9, "server.1=\u00fc:1:2:participant\nversion=0"),
            new Command.ReplicateConfiguration(7, "server.1=\u00fc:1:2:participant\nversion=0"),
            new Command.DropPlan(7, 8, 9),
            new Command.PlanProgress(7, 8, 9),
            new Command.DigestAudit(7),
            new Command.NoOp(7),
            new Command.DigestReport(7, 0x100000003L, -4, 5));

    @Test
    public void everyCommand_decodesToItself() throws Exception {
        for (Command command : COMMANDS) {
            assertEquals(command, CommandCodec.decode(CommandCodec.encode(command)));
        }
    }

    /** Whoever executes it must be able to tell it from damage. */
    @Test
    public void unknownTypeOrVersion_isCalledUnknown() {
        byte[] bytes = CommandCodec.encode(new Command.NoOp(7)).toByteArray();
        for (int place = 0; place < 2; place++) {
            byte[] other = bytes.clone();
            other[place] = 100;
            String said = assertThrows(UnknownCommandException.class, () -> CommandCodec.decode(ByteSlice.of(other)))
                    .getMessage();
            assertTrue(said, said.contains("100"));
        }
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
        MalformedMessageException damaged =
                assertThrows(MalformedMessageException.class, () -> CommandCodec.decode(ByteSlice.of(longer)));
        assertFalse(damaged instanceof UnknownCommandException);
    }

    @Test
    public void requestThatItsProposerKeeps_isWhatTheOthersDecodeAndHoldsItsBytesOnce() throws Exception {
        for (Command command : COMMANDS) {
            if (command instanceof Command.ClientRequest request) {
                EncodedRequest kept = CommandCodec.encodeKept(request);
                assertEquals(CommandCodec.encode(request), kept.bytes());
                assertEquals(CommandCodec.decode(kept.bytes()), kept.request());
                if (request.payload() != null) {
                    assertSame(kept.bytes().array(), kept.request().payload().array());
                }
            }
        }
    }

    @Test
    public void sliceInTheMiddleOfAnArray_decodes() throws Exception {
        for (Command command : COMMANDS) {
            byte[] bytes = CommandCodec.encode(command).toByteArray();
            byte[] padded = new byte[bytes.length + 20];
            Arrays.fill(padded, (byte) 0x55);
            System.arraycopy(bytes, 0, padded, 9, bytes.length);
            assertEquals(command, CommandCodec.decode(ByteSlice.of(padded, 9, bytes.length)));
        }
    }

    @Test
    public void everyPrefixAndEveryExtension_isRefused() {
        for (Command command : COMMANDS) {
            byte[] bytes = CommandCodec.encode(command).toByteArray();
            for (int length = 0; length < bytes.length; length++) {
                ByteSlice prefix = ByteSlice.of(bytes, 0, length);
                assertThrows(MalformedMessageException.class, () -> CommandCodec.decode(prefix));
            }
            ByteSlice longer = ByteSlice.of(Arrays.copyOf(bytes, bytes.length + 1));
            assertThrows(MalformedMessageException.class, () -> CommandCodec.decode(longer));
        }
    }

    /** Every replica keeps them. */
    @Test
    public void schemesOfAStart_areFewAndShort() throws Exception {
        SortedMap<String, String> schemes = new TreeMap<>(Map.of("k".repeat(1024), "\u00fc".repeat(512)));
        for (int i = 1; i < 64; i++) {
            schemes.put("scheme" + i, "");
        }
        Command most = new Command.ReplicaStarted(7, -1, null, List.of(), 0, schemes);
        assertEquals(most, CommandCodec.decode(CommandCodec.encode(most)));
        schemes = new TreeMap<>(schemes);
        schemes.put("scheme64", "");
        assertRefused(schemes);
        assertRefused(new TreeMap<>(Map.of("k".repeat(1025), "")));
        assertRefused(new TreeMap<>(Map.of("key", "\u00fc".repeat(513))));
    }

    private static void assertRefused(SortedMap<String, String> schemes) {
        ByteSlice bytes = CommandCodec.encode(new Command.ReplicaStarted(7, -1, null, List.of(), 0, schemes));
        assertThrows(MalformedMessageException.class, () -> CommandCodec.decode(bytes));
    }

    @Test
    public void unknownVersionOrType_isRefused() {
        byte[] bytes = CommandCodec.encode(COMMANDS.get(3)).toByteArray();
        byte[] otherVersion = bytes.clone();
        otherVersion[0]++;
        assertThrows(MalformedMessageException.class, () -> CommandCodec.decode(ByteSlice.of(otherVersion)));
        byte[] otherType = bytes.clone();
        otherType[1] = 77;
        assertThrows(MalformedMessageException.class, () -> CommandCodec.decode(ByteSlice.of(otherType)));
    }

    @Test
    public void randomlyChangedBytes_decodeToSomethingOrAreRefused() {
        Random random = new Random(17);
        List<Integer> refused = new ArrayList<>();
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = CommandCodec.encode(COMMANDS.get(random.nextInt(COMMANDS.size())))
                    .toByteArray();
            for (int change = 0; change <= random.nextInt(4); change++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                CommandCodec.decode(ByteSlice.of(bytes));
            } catch (MalformedMessageException e) {
                refused.add(round);
            }
        }
        assertEquals("some are refused", true, refused.size() > 1000);
    }
}
