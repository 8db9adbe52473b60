package io.chainkeeper.benchmarks.server;

import io.chainkeeper.config.OrderingConfigParser;
import io.chainkeeper.config.StartupConfig;
import io.chainkeeper.main.ReplicaPlatform;
import io.chainkeeper.main.ReplicaStarter;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.shareddisk.DiskSource;
import io.chainkeeper.shareddisk.SharedDisk;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/**
 * The main program of a server whose shared disks take longer, to measure what that costs: everything is the server's
 * own, but that it waits before each request to a disk.
 */
public final class SlowDiskServer {
    private static final String DELAYS = "benchmark.diskDelayMillis";

    private SlowDiskServer() {}

    /** The option that tells the delays of the disks, in their order; what is not named has none. */
    static String option(List<Integer> delayMillis) {
        return "-D" + DELAYS + "=" + delayMillis.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /**
     * Runs a server until it ends, then ends the process.
     *
     * @param args path of a zoo.cfg
     * @throws Exception if it cannot start
     */
    public static void main(String[] args) throws Exception {
        StartupConfig config = new OrderingConfigParser(ServiceLoader.load(OrderingProtocolFactory.class))
                .parse(Path.of(args[0]))
                .orElseThrow(() -> new IOException(args[0] + " asks for the stock server"));
        int[] delays = Arrays.stream(System.getProperty(DELAYS).split(","))
                .mapToInt(Integer::parseInt)
                .toArray();
        System.exit(ReplicaStarter.startReplica(
                        config, ReplicaPlatform.OF_SYSTEM.withDisks(sources -> slow(sources, delays)))
                .awaitShutdown());
    }

    private static List<DiskSource> slow(List<DiskSource> sources, int[] delays) {
        List<DiskSource> slow = new ArrayList<>(sources);
        for (int disk = 0; disk < delays.length; disk++) {
            DiskSource source = sources.get(disk);
            int delayMillis = delays[disk];
            slow.set(disk, () -> new SlowDisk(source.open(), delayMillis));
        }
        return slow;
    }

    private record SlowDisk(SharedDisk disk, int delayMillis) implements SharedDisk {
        private void delay() throws IOException {
            try {
                Thread.sleep(delayMillis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while " + disk + " was slow");
            }
        }

        @Override
        public void write(long offset, ByteSlice bytes) throws IOException {
            delay();
            disk.write(offset, bytes);
        }

        @Override
        public void force() throws IOException {
            disk.force();
        }

        @Override
        public ByteSlice read(long offset, int length) throws IOException {
            delay();
            return disk.read(offset, length);
        }

        @Override
        public long length() throws IOException {
            return disk.length();
        }

        @Override
        public void close() throws IOException {
            disk.close();
        }
    }
}
