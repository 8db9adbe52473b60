package io.chainkeeper.benchmarks.jmh;

import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.log.AcceptorLogs;
import io.chainkeeper.log.Durability;
import io.chainkeeper.log.LogStore;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The log writer's step: append the batch of one instance, then sync. Lies in the system's temporary directory (choose
 * another with {@code -jvmArgsAppend -Djava.io.tmpdir=...}); on a file system in memory a sync costs nothing and the
 * figure says nothing about disks.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 2)
@Fork(
        value = 1,
        jvmArgsAppend = {"--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED"
        })
public class AcceptorLogBenchmark {
    private static final int HEAD_BYTES = 20;
    private static final int RECORD_KIND = 2;

    /** Positions kept below the latest; the rest is truncated, as behind a checkpoint. */
    private static final long KEPT_POSITIONS = 1_000;

    /** Implementation. */
    @Param({"SEGMENTED", "LMDB"})
    public LogStore store;

    /** What sync waits for. */
    @Param({"SYNC", "ASYNC"})
    public Durability durability;

    /** Commands in the batch. */
    @Param({"1", "256"})
    public int batchCommands;

    private Path directory;
    private AcceptorLog log;
    private ByteSlice head;
    private ByteSlice body;
    private long position;

    /**
     * Opens a log in a new directory.
     *
     * @throws IOException if it cannot be opened
     */
    @Setup
    public void open() throws IOException {
        directory = Files.createTempDirectory("chainkeeper-log-benchmark-");
        try {
            log = AcceptorLogs.open(
                    directory.resolve("ordering"),
                    store,
                    durability,
                    AcceptorLogSettings.defaults().withRetentionBytes(0));
        } finally {
            if (log == null) {
                removeDirectory();
            }
        }
        head = ByteSlice.of(new byte[HEAD_BYTES]);
        body = BatchCodec.encode(Commands.batch(batchCommands));
    }

    /**
     * Appends and syncs one record.
     *
     * @return its position
     * @throws IOException if the log cannot be written
     */
    @Benchmark
    public long appendAndSync() throws IOException {
        log.append(new LogRecord(++position, RECORD_KIND, head, body));
        log.sync();
        if (position % KEPT_POSITIONS == 0) {
            log.truncate(position - KEPT_POSITIONS + 1);
        }
        return position;
    }

    /**
     * Closes the log and removes its directory.
     *
     * @throws IOException if something stays behind
     */
    @TearDown
    public void close() throws IOException {
        log.close();
        removeDirectory();
    }

    private void removeDirectory() throws IOException {
        List<Path> innermostFirst;
        try (Stream<Path> all = Files.walk(directory)) {
            innermostFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : innermostFirst) {
            Files.delete(path);
        }
    }
}
