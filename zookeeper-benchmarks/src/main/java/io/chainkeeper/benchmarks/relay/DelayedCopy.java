package io.chainkeeper.benchmarks.relay;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** One direction of a relayed connection: one thread reads, another writes what is due. */
final class DelayedCopy {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final byte[] END = {};

    private final Socket from;
    private final Socket to;
    private final Ending ending;
    private final DelayLine line;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean stopped;

    /** Told once that nothing more is written. */
    @FunctionalInterface
    interface Ending {
        /** @param broken whether a socket failed before the end of the stream */
        void ended(boolean broken);
    }

    /**
     * @param from where bytes come from
     * @param to where they go
     * @param delayNanos how long each takes
     * @param ending told of the end
     */
    DelayedCopy(Socket from, Socket to, long delayNanos, Ending ending) {
        this.from = from;
        this.to = to;
        this.ending = ending;
        this.line = new DelayLine(delayNanos, Relay.MAX_BYTES_ON_THE_WAY);
    }

    /** Reads to the end of the stream, or until {@link #write} has ended. */
    void read() {
        byte[] buffer = new byte[BUFFER_BYTES];
        int count = 0;
        try {
            while (count >= 0) {
                count = read(buffer);
                if (!add(count < 0 ? END : Arrays.copyOf(buffer, count))) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A connection that breaks has ended: what has come before still arrives. */
    private int read(byte[] buffer) {
        try {
            return from.getInputStream().read(buffer);
        } catch (IOException e) {
            return -1;
        }
    }

    private boolean add(byte[] piece) throws InterruptedException {
        lock.lock();
        try {
            while (!line.hasRoom() && !stopped) {
                changed.await();
            }
            line.add(piece, System.nanoTime());
            changed.signalAll();
            return !stopped;
        } finally {
            lock.unlock();
        }
    }

    /** Writes what is due, to the end of the stream. */
    void write() {
        boolean broken = true;
        try {
            OutputStream out = to.getOutputStream();
            for (byte[] piece = next(); piece.length > 0; piece = next()) {
                out.write(piece);
            }
            to.shutdownOutput();
            broken = false;
        } catch (IOException e) {
            broken = true; // the other side is told by closing its socket
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            stop();
            ending.ended(broken);
        }
    }

    private byte[] next() throws InterruptedException {
        lock.lock();
        try {
            for (long nanos = toNext(); nanos > 0; nanos = toNext()) {
                changed.await(nanos, TimeUnit.NANOSECONDS);
            }
            changed.signalAll();
            return line.take();
        } finally {
            lock.unlock();
        }
    }

    private long toNext() {
        return line.nanosToNext(System.nanoTime());
    }

    private void stop() {
        lock.lock();
        try {
            stopped = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
