package io.chainkeeper.benchmarks.load;

import io.chainkeeper.benchmarks.server.ServerProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/** The load of a round in which a server is stopped: writers, spread evenly over the servers. */
public final class SteadyWriters implements AutoCloseable {
    private static final long CONNECT_SECONDS = 60;

    private final List<ReconnectingWriter> writers = new ArrayList<>();
    private final AtomicReference<String> failure = new AtomicReference<>();
    private final LongAdder completed = new LongAdder();

    private final Pace pace;

    private SteadyWriters(Pace pace) {
        this.pace = pace;
    }

    /**
     * Begins to connect.
     *
     * @param servers the servers that writers know
     * @param perServer writers that connect to each of them first
     * @param workload what they write
     * @param pace of each write in flight; closed with the writers
     * @return the writers
     * @throws IOException if one cannot be created
     */
    public static SteadyWriters open(List<ServerProcess> servers, int perServer, Workload workload, Pace pace)
            throws IOException {
        List<String> addresses = servers.stream().map(ServerProcess::address).toList();
        SteadyWriters all = new SteadyWriters(pace);
        try {
            for (int i = 0; i < perServer * addresses.size(); i++) {
                all.writers.add(new ReconnectingWriter(
                        addresses,
                        i % addresses.size(),
                        workload,
                        pace,
                        all.completed,
                        what -> all.failure.compareAndSet(null, what)));
            }
            return all;
        } catch (IOException | RuntimeException e) {
            all.close();
            throw e;
        }
    }

    /**
     * Waits until all are connected, and begins to write.
     *
     * @param outstanding writes that each keeps in flight
     * @throws IOException if one cannot connect in time
     */
    public void start(int outstanding) throws IOException, InterruptedException {
        for (ReconnectingWriter writer : writers) {
            writer.awaitConnected(CONNECT_SECONDS);
        }
        writers.forEach(w -> w.start(outstanding));
    }

    /**
     * Makes sure that all still write.
     *
     * @throws IOException what ended the first
     */
    public void checkHealthy() throws IOException {
        if (failure.get() != null) {
            throw new IOException(failure.get());
        }
    }

    /** @return writes that have succeeded */
    public long completed() {
        return completed.sum();
    }

    /** @return writes whose outcome is unknown */
    public long unknown() {
        return writers.stream().mapToLong(ReconnectingWriter::unknown).sum();
    }

    /**
     * @param port client port of a server; 0 for none
     * @return the writers connected to it now
     */
    public List<ReconnectingWriter> at(int port) {
        return writers.stream().filter(w -> w.serverPort() == port).toList();
    }

    /** @return all writers */
    public List<ReconnectingWriter> all() {
        return List.copyOf(writers);
    }

    /** @return when writes of each writer succeeded */
    public List<WriteHistory> histories() {
        return histories(writers);
    }

    /** @return when writes of each of these writers succeeded */
    public static List<WriteHistory> histories(List<ReconnectingWriter> writers) {
        return writers.stream().map(ReconnectingWriter::history).toList();
    }

    /** A session whose server is gone takes about a second to close; all of them are closed at the same time. */
    @Override
    public void close() {
        writers.forEach(ReconnectingWriter::stop);
        pace.close();
        List<Thread> closers =
                writers.stream().map(w -> new Thread(w::close, "close-writer")).toList();
        closers.forEach(Thread::start);
        for (Thread closer : closers) {
            try {
                closer.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    @Override
    public String toString() {
        return writers.size() + " writers";
    }
}
