package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import io.chainkeeper.command.AuthId;
import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.release.FeatureLevel;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.apache.jute.BinaryOutputArchive;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.proto.CreateRequest;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Whatever bytes are ordered as commands: all replicas make the same of them, and all of them go on. */
public class HostileCommandsTest {
    private static final long SEED = 20261123;
    private static final int COMMANDS = 4_000;

    /** Commands have the types from 1 to this one. */
    private static final int KNOWN_TYPES = 23;

    /** No member, so that none of its commands collides with those of a replica. */
    private static final int PROPOSER = 99;

    /** What a server with reconfigEnabled says with its start. */
    private static final long TAKES_RECONFIG = 0xC4A2_9000_0000_0000L;

    private static final long[] NUMBERS = {
        0, 1, -1, 2, 99, Long.MAX_VALUE, Long.MIN_VALUE, Integer.MAX_VALUE, 1L << 56, TAKES_RECONFIG
    };

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private static final String MEMBERS = "server.1=127.0.0.1:1:2:participant\nserver.2=127.0.0.1:1:2:participant\n";

    private final Random random = new Random(SEED);
    private TestEnsemble ensemble;
    private long ordered;

    @Before
    public void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 2).startAll();
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.close();
    }

    private long number() {
        return NUMBERS[random.nextInt(NUMBERS.length)];
    }

    private ByteSlice noise() {
        byte[] bytes = new byte[random.nextInt(100)];
        random.nextBytes(bytes);
        return ByteSlice.of(bytes);
    }

    private Command command() {
        long wallClock = System.currentTimeMillis();
        int some = (int) number();
        return switch (random.nextInt(11)) {
            case 0 -> new Command.Attach(wallClock, number(), some);
            case 1 -> new Command.Expire(wallClock, number(), some, number());
            case 2 -> new Command.Orphan(wallClock, 3 + random.nextInt(300), number());
            case 3 -> new Command.DigestReport(wallClock, number(), number(), number());
            case 4 -> new Command.PlanEnsemble(wallClock, number(), some, configuration());
            case 5 -> new Command.DropPlan(wallClock, number(), some);
            case 6 ->
                new Command.ClusterFormed(
                        wallClock, UUID.randomUUID(), number(), List.of(some), "version=" + some, null, null);
            case 7 -> new Command.ReplicaStarted(wallClock, number(), null, List.of(some), number());
            case 9 ->
                new Command.RaiseFeatureLevel(wallClock, new FeatureLevel(Math.max(1, some), "9.9.9"), List.of(some));
            case 8 -> new Command.ReplicateConfiguration(wallClock, configuration());
            default ->
                new Command.ClientRequest(
                        wallClock,
                        number(),
                        some,
                        random.nextBoolean() ? random.nextInt(120) - 20 : some,
                        random.nextBoolean() ? null : List.of(new AuthId("x", null), new AuthId(null, "y")),
                        random.nextInt(4) == 0 ? null : noise(),
                        some,
                        random.nextBoolean(),
                        some);
        };
    }

    /** With both members, so that they may go on, and somebody else who may be anybody. */
    private String configuration() {
        int id = random.nextBoolean() ? PROPOSER : (int) number();
        int port = random.nextBoolean() ? 1 : (int) number();
        return MEMBERS + "server." + id + "=127.0.0.1:" + port + ":3:participant\nversion=0";
    }

    private ByteSlice bytes() {
        byte[] bytes = random.nextInt(4) == 0
                ? noise().toByteArray()
                : CommandCodec.encode(command()).toByteArray();
        if (random.nextBoolean() && bytes.length > 0) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        // What no release knows stops a server: FeatureExecutorTest.
        if (bytes.length > 0) {
            bytes[0] = CommandCodec.VERSION;
        }
        if (bytes.length > 1) {
            bytes[1] = (byte) (1 + Math.floorMod(bytes[1] - 1, KNOWN_TYPES));
        }
        return ByteSlice.of(bytes);
    }

    @Test(timeout = 300_000)
    public void anyBytesAreOrdered_allServeAlsoAfterARestart() throws Exception {
        try (ZooKeeper client = ensemble.client(1)) {
            client.create("/before", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        List<ProposedCommand> batch = new ArrayList<>();
        for (int i = 1; i <= COMMANDS; i++) {
            batch.add(new ProposedCommand(PROPOSER, 1, 0, i, bytes()));
            if (batch.size() == 10) {
                ensemble.order().decide(BatchCodec.encode(batch));
                batch.clear();
            }
        }
        ensemble.awaitEqualPositions();
        try (ZooKeeper client = ensemble.client(2)) {
            client.create("/after", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
        restartEach();
        try (ZooKeeper client = ensemble.client(1)) {
            client.setData("/after", new byte[1], -1);
        }
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
    }

    private ProposedCommand request(int sequence, long sessionId, int opcode, byte[] payload) {
        return new ProposedCommand(
                PROPOSER,
                1,
                0,
                sequence,
                CommandCodec.encode(new Command.ClientRequest(
                        System.currentTimeMillis(),
                        sessionId,
                        sequence,
                        opcode,
                        null,
                        ByteSlice.of(payload),
                        Command.ClientRequest.QUOTA_KEPT,
                        false,
                        0)));
    }

    private static byte[] ephemeral(String path) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new CreateRequest(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL.toFlag())
                .serialize(BinaryOutputArchive.getArchive(bytes), "request");
        return bytes.toByteArray();
    }

    /** To ZooKeeper's classes its nodes would be ones with a time to live, or of a kind that there is not. */
    @Test(timeout = 300_000)
    public void sessionWhoseIdIsThatOfATimeToLive_isRefused() throws Exception {
        List<ProposedCommand> batch = new ArrayList<>();
        for (long sessionId : new long[] {0xFF01_0000_0000_0001L, 0xFF00_0000_0000_0001L, -1}) {
            int sequence = batch.size() + 1;
            byte[] timeoutMillis = {0, 0, 100, 0};
            batch.add(request(sequence, sessionId, OpCode.createSession, timeoutMillis));
            batch.add(request(sequence + 1, sessionId, OpCode.create, ephemeral("/owned" + sequence)));
        }
        ensemble.order().decide(BatchCodec.encode(batch));
        ensemble.awaitEqualPositions();
        for (int id = 1; id <= 2; id++) {
            assertEquals(0, ensemble.replica(id).replicatedState().sessions().size());
        }
        restartEach();
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
    }

    private void order(Command... commands) throws Exception {
        List<ProposedCommand> batch = new ArrayList<>();
        for (Command command : commands) {
            batch.add(new ProposedCommand(PROPOSER, 1, 0, ++ordered, CommandCodec.encode(command)));
        }
        ensemble.order().decide(BatchCodec.encode(batch));
        ensemble.awaitEqualPositions();
    }

    /** Servers would link up with nobody, or with whom one member likes, or stop at each start. */
    @Test(timeout = 300_000)
    public void configurationThatCannotBeOne_isNotReplicated() throws Exception {
        order(new Command.ReplicaStarted(System.currentTimeMillis(), TAKES_RECONFIG, null, List.of(), 0));
        String other = "server.99=127.0.0.1:1:2:participant\n";
        for (String text : List.of(
                MEMBERS + other + "server.999=127.0.0.1:1:2:participant\n",
                MEMBERS + other + "server.0=127.0.0.1:1:2:participant\n",
                MEMBERS + other + "server.3=127.0.0.1:65536:2:participant\n",
                MEMBERS + other + "server.3=127.0.0.1:1:2:participant;127.0.0.1:65536\n",
                MEMBERS + other + "server.3=127.0.0.1:1:1:participant\n",
                MEMBERS + other + "server.3=a|b:1:2:participant\n",
                MEMBERS + other + "server.255=127.0.0.1:1:2:participant\n",
                MEMBERS.replace("participant", "observer") + other.replace("participant", "observer"),
                other)) {
            order(new Command.ReplicateConfiguration(System.currentTimeMillis(), text + "version=0"));
            for (int id = 1; id <= 2; id++) {
                assertNull(text, ensemble.replica(id).replicatedState().configuration());
            }
        }
        order(new Command.ReplicateConfiguration(System.currentTimeMillis(), MEMBERS + other + "version=0"));
        for (int id = 1; id <= 2; id++) {
            assertEquals(
                    3,
                    ensemble.replica(id)
                            .replicatedState()
                            .configuration()
                            .servers()
                            .size());
        }
        restartEach();
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
    }

    private void restartEach() throws Exception {
        for (int id = 1; id <= 2; id++) {
            ensemble.stop(id);
            ensemble.start(id);
            ensemble.awaitServing(id);
        }
    }

    /** A request whose type no client can send is answered by nobody and changes nothing. */
    @Test(timeout = 300_000)
    public void everyTypeOfRequestWithoutABody_allServe() throws Exception {
        List<ProposedCommand> batch = new ArrayList<>();
        int[] types = {OpCode.notification, OpCode.create, OpCode.multi, OpCode.closeSession, OpCode.error, 200, -999};
        for (int i = 0; i < types.length; i++) {
            Command.ClientRequest request =
                    new Command.ClientRequest(System.currentTimeMillis(), 1, 1, types[i], null, null, 0, false, 0);
            batch.add(new ProposedCommand(PROPOSER, 1, 0, i + 1L, CommandCodec.encode(request)));
        }
        ensemble.order().decide(BatchCodec.encode(batch));
        ensemble.awaitEqualPositions();
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
    }
}
