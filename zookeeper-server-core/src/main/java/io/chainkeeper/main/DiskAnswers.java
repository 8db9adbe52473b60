package io.chainkeeper.main;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.SharedDiskFormat.Blocks;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** The answers of one disk: whoever waits for work with it waits as long as they come. Safe for use by any thread. */
final class DiskAnswers {
    private final AtomicLong count = new AtomicLong();

    /** Returns these blocks; what they answer counts. */
    Blocks of(Blocks disk) {
        return new Blocks() {
            @Override
            public ByteSlice read(long offset, int length) {
                ByteSlice bytes = disk.read(offset, length);
                count.incrementAndGet();
                return bytes;
            }

            @Override
            public void write(long offset, ByteSlice bytes) {
                disk.write(offset, bytes);
                count.incrementAndGet();
            }
        };
    }

    /**
     * Works with the disk, on a thread of its own.
     *
     * @param name of the thread
     * @param work uses blocks {@link #of} this
     * @param patience how long the disk may owe an answer; it is left alone before twice that time is over
     * @return what the work returns, or nothing if the disk hangs; the thread ends when the disk answers
     * @throws IOException if the work throws it, or the calling thread is interrupted
     */
    <T> Optional<T> await(String name, Callable<T> work, Duration patience) throws IOException {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        while (true) {
            long before = count.get();
            try {
                return Optional.of(task.get(patience.toNanos(), TimeUnit.NANOSECONDS));
            } catch (TimeoutException e) {
                if (count.get() == before) {
                    return Optional.empty();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException(name + " was interrupted");
            } catch (ExecutionException e) {
                throw rethrown(e.getCause());
            }
        }
    }

    private static IOException rethrown(Throwable failure) {
        if (failure instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        return failure instanceof IOException known ? known : new IOException(failure);
    }
}
