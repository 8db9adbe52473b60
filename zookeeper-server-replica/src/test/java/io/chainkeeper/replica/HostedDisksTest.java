package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.shareddisk.ChannelDisk;
import io.chainkeeper.shareddisk.DiskSource;
import io.chainkeeper.shareddisk.SharedDisk;
import io.chainkeeper.transport.PeerTransport;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.After;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What a protocol asks of shared disks is done to them, and what comes of it is an input. */
public final class HostedDisksTest {
    private static final int BLOCK = SharedDisk.BLOCK_BYTES;
    private static final int DISKS = 3;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final Failures failures = new Failures();
    private final List<String> inputs = new ArrayList<>();
    private final List<Path> paths = new ArrayList<>();
    private Effects effects;
    private Replica replica;

    /** What the protocol does with an input, besides noting it. */
    private BiConsumer<String, Integer> then = (input, disk) -> {};

    @After
    public void close() throws IOException {
        if (replica != null) {
            replica.close();
        }
    }

    private static <T> T stub(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private void note(String input) {
        synchronized (inputs) {
            inputs.add(input);
        }
    }

    private List<String> inputs() {
        synchronized (inputs) {
            return List.copyOf(inputs);
        }
    }

    private Object onInput(String name, Object... arguments) {
        switch (name) {
            case "onStart" -> then.accept(name, -1);
            case "onBlocksWritten" -> note("written " + arguments[0] + ": " + arguments[1] + "+" + arguments[2]);
            case "onBlocksRead" ->
                note("read " + arguments[0] + ": " + arguments[1] + " " + ((ByteSlice) arguments[2]).get(0));
            case "onDiskFailed" -> note("failed " + arguments[0] + ": " + arguments[1]);
            case "gauges" -> {
                return Map.of();
            }
            case "quietTicks" -> {
                return 0;
            }
            default -> {
                return null;
            }
        }
        if (arguments != null && arguments.length > 1) {
            then.accept(name, (Integer) arguments[0]);
        }
        return null;
    }

    private void start(List<DiskSource> sources) throws IOException {
        OrderingProtocol protocol =
                stub(OrderingProtocol.class, (proxy, method, arguments) -> onInput(method.getName(), arguments));
        OrderingProtocolFactory factory = stub(OrderingProtocolFactory.class, (proxy, method, arguments) -> {
            return switch (method.getName()) {
                case "create" -> {
                    effects = (Effects) arguments[1];
                    yield protocol;
                }
                case "codec" -> stub(MessageCodec.class, (codec, called, with) -> null);
                case "name" -> "on-disks";
                default -> method.getReturnType() == int.class ? 1 : null;
            };
        });
        replica = new Replica(
                1,
                1,
                Ensemble.of(List.of(1)),
                factory,
                Map.of(),
                ProtocolContext.Start.ORDINARY,
                new ScriptedAcceptorLog().log(),
                sources,
                stub(
                        PeerTransport.class,
                        (proxy, method, arguments) -> method.getName().equals("execute") ? false : null),
                new RecordingApplication(),
                ReplicaLimits.DEFAULT,
                failures,
                ThreadScheduler.INSTANCE);
        replica.start();
    }

    private List<DiskSource> files() throws IOException {
        List<DiskSource> sources = new ArrayList<>();
        for (int disk = 0; disk < DISKS; disk++) {
            Path path = folder.newFile("disk" + disk).toPath();
            Files.write(path, new byte[4 * BLOCK]);
            paths.add(path);
            sources.add(() -> ChannelDisk.open(path, true));
        }
        return sources;
    }

    private static ByteSlice block(int value) {
        byte[] bytes = new byte[BLOCK];
        Arrays.fill(bytes, (byte) value);
        return ByteSlice.of(bytes);
    }

    private void awaitInputs(int count) {
        Failures.await(count + " inputs", () -> inputs().size() >= count);
    }

    @Test
    public void requestsOfTheStart_areDoneToEachDisk_andAnsweredInOrder() throws Exception {
        then = (input, disk) -> {
            if (input.equals("onStart")) {
                for (int each = 0; each < DISKS; each++) {
                    effects.writeBlocks(each, BLOCK, block(each + 1));
                    effects.readBlocks(each, BLOCK, BLOCK);
                }
            }
        };
        start(files());
        awaitInputs(2 * DISKS);
        for (int disk = 0; disk < DISKS; disk++) {
            String of = " " + disk + ": ";
            assertEquals(
                    List.of("written" + of + "4096+4096", "read" + of + "4096 " + (disk + 1)),
                    inputs().stream().filter(input -> input.contains(of)).toList());
            assertEquals(disk + 1, Files.readAllBytes(paths.get(disk))[2 * BLOCK - 1]);
        }
        assertTrue(
                replica.gauges().keySet().toString(), replica.gauges().containsKey("shared_disk_write_micros_count.1"));
    }

    @Test
    public void failedDisk_isAnInput_andIsTriedAgainWhenTheProtocolAsks() throws Exception {
        List<DiskSource> sources = files();
        Path away = folder.getRoot().toPath().resolve("away");
        Files.move(paths.get(1), away);
        then = (input, disk) -> {
            if (input.equals("onStart")) {
                effects.readBlocks(1, 0, BLOCK);
                effects.readBlocks(2, 0, BLOCK);
            } else if (input.equals("onDiskFailed")) {
                try {
                    Files.move(away, paths.get(1));
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                effects.readBlocks(1, BLOCK, BLOCK);
            }
        };
        start(sources);
        awaitInputs(3);
        assertEquals(
                List.of(
                        "failed 1: " + paths.get(1) + " does not exist: attach that disk, or correct disk.paths",
                        "read 1: 4096 0"),
                inputs().stream().filter(input -> input.contains(" 1: ")).toList());
        assertTrue(inputs().toString(), inputs().contains("read 2: 0 0"));
        assertEquals(List.of(), failures.messages());
    }

    @Test
    public void requestForNoBlock_stopsTheReplica() throws Exception {
        then = (input, disk) -> {
            if (input.equals("onBlocksRead")) {
                effects.writeBlocks(0, 512, block(1));
            } else if (input.equals("onStart")) {
                effects.readBlocks(0, 0, BLOCK);
            }
        };
        String message = failureOf(files());
        assertTrue(message, message.contains("4096 bytes at 512 of shared disk 0 are not whole blocks"));
    }

    /** The read may be answered while the replica starts, or later. */
    private String failureOf(List<DiskSource> sources) throws InterruptedException {
        try {
            start(sources);
        } catch (IOException e) {
            return e.getMessage();
        }
        return failures.await();
    }

    @Test
    public void withoutDisks_thereIsNoneToAsk() throws Exception {
        then = (input, disk) -> effects.readBlocks(0, 0, BLOCK);
        String message = failureOf(List.of());
        assertTrue(message, message.contains("shared disk 0 of 0"));
    }
}
