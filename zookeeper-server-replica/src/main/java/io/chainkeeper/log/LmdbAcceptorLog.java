package io.chainkeeper.log;

import static org.lmdbjava.DbiFlags.MDB_CREATE;
import static org.lmdbjava.EnvFlags.MDB_NORDAHEAD;
import static org.lmdbjava.EnvFlags.MDB_NOSYNC;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.RecoveredState;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.GetOp;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;

/**
 * The acceptor log in an LMDB store: one database by position, one of metadata by kind. All records between two calls
 * of {@link #sync} are one write transaction, which LMDB forces when it commits.
 *
 * <p>{@link Durability#ASYNC} is LMDB's NOSYNC: a power failure can cost more than the last moments, it can leave a
 * store that is refused as damaged. {@link SegmentedAcceptorLog} has no such weakness. LMDB has no checksums of its own
 * pages either: records are checked, but a damaged page between them can end the process.
 *
 * <p>Needs the JVM options {@link #JVM_OPTIONS} on Java 17.
 */
final class LmdbAcceptorLog implements AcceptorLog {
    /** Name of LMDB's data file. */
    static final String DATA_FILE = "data.mdb";

    /** Name of the database of positional records. */
    static final String POSITIONS = "positions";

    /** Name of the database of metadata. */
    static final String METADATA = "metadata";

    /** Without these options of the JVM, LMDB's buffers cannot be mapped. */
    static final String JVM_OPTIONS =
            "--add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED";

    private static final int DELETES_PER_TRANSACTION = 10_000;

    private final Path directory;
    private final AcceptorLogSettings settings;
    private final Durability durability;
    private final Closeable directoryLock;
    private final SyncStatistics statistics = new SyncStatistics();
    private final LmdbRecordCodec codec = new LmdbRecordCodec();
    private final Env<ByteBuffer> env;
    private final Dbi<ByteBuffer> positions;
    private final Dbi<ByteBuffer> metadata;
    private final BackgroundForcer forcer;

    private Txn<ByteBuffer> pending;

    /** Of records since the last force; only the writing thread adds to it. */
    private final AtomicLong unforcedBytes = new AtomicLong();

    private final LogGuard guard;

    /** Shared by those who read records, which lie in mapped memory, with each other, but not with the end of it. */
    private final ReadWriteLock mapped = new ReentrantReadWriteLock();

    /**
     * Opens a store, or begins one.
     *
     * @param directory an existing directory
     * @param durability not {@link Durability#MEMORY}
     * @param settings the bounds
     * @param directoryLock closed with the log; stays open if this fails
     * @throws CorruptLogException if the store is damaged
     * @throws IOException if it cannot be opened, or a later release wrote it
     */
    LmdbAcceptorLog(Path directory, Durability durability, AcceptorLogSettings settings, Closeable directoryLock)
            throws IOException {
        InvariantViolated.check(durability != Durability.MEMORY, "a log in memory needs no store");
        this.directory = directory;
        this.settings = settings;
        this.durability = durability;
        this.directoryLock = directoryLock;
        this.guard = new LogGuard(directory.toString());
        LmdbFormat.check(directory);
        LmdbStore.begin(directory, settings.lmdbMapBytes());
        env = openEnvironment();
        long bytesOfCutFile = -1;
        boolean opened = false;
        try {
            bytesOfCutFile = coverLastPage();
            positions = env.openDbi(POSITIONS, MDB_CREATE);
            metadata = env.openDbi(METADATA, MDB_CREATE);
            checkAll(positions);
            checkAll(metadata);
            LmdbFormat.say(directory);
            env.sync(true);
            new DirectoryLogFiles(directory).syncDirectory();
            opened = true;
        } catch (LmdbException e) {
            throw LmdbStore.failed(directory, e);
        } catch (LinkageError e) {
            throw LmdbStore.notLoaded(e);
        } finally {
            if (!opened) {
                env.close();
                if (bytesOfCutFile >= 0) {
                    setLength(bytesOfCutFile);
                }
            }
        }
        forcer = durability == Durability.ASYNC
                ? new BackgroundForcer(this::force, settings.asyncForceIntervalMillis())
                : null;
    }

    private Env<ByteBuffer> openEnvironment() throws IOException {
        EnvFlags[] flags = durability == Durability.SYNC
                ? new EnvFlags[] {MDB_NORDAHEAD}
                : new EnvFlags[] {MDB_NORDAHEAD, MDB_NOSYNC};
        return LmdbStore.open(directory, directory, settings.lmdbMapBytes(), flags);
    }

    /**
     * Reading a mapped page behind the end of the file would end the process with a signal. So a file that was cut is
     * filled up with zeros, which LMDB or the checksums recognise as damage; when it is refused it gets its length
     * back, which this returns: -1 if it was not cut.
     */
    private long coverLastPage() throws IOException {
        long needed = (env.info().lastPageNumber + 1) * env.stat().pageSize;
        long present = sizeBytes();
        if (present >= needed) {
            return -1;
        }
        setLength(needed);
        return present;
    }

    private void setLength(long bytes) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(dataFile(), "rw")) {
            file.setLength(bytes);
        }
    }

    private File dataFile() {
        return directory.resolve(DATA_FILE).toFile();
    }

    private void checkAll(Dbi<ByteBuffer> database) throws IOException {
        try (Txn<ByteBuffer> transaction = env.txnRead();
                Cursor<ByteBuffer> cursor = database.openCursor(transaction)) {
            // A search, not cursor.first(): a search needs all of JVM_OPTIONS, so that a missing one shows here.
            boolean found = cursor.get(codec.key(0), GetOp.MDB_SET_RANGE);
            while (found) {
                decode(codec, cursor, database == positions);
                found = cursor.next();
            }
        }
    }

    private LogRecord decode(LmdbRecordCodec decoder, Cursor<ByteBuffer> cursor, boolean positional)
            throws CorruptLogException {
        LogRecord record = decoder.decode(cursor.key(), cursor.val(), positional);
        if (record == null) {
            throw LmdbStore.corrupt(directory, LmdbRecordCodec.describe(cursor.key(), positional));
        }
        return record;
    }

    @Override
    public void append(LogRecord record) throws IOException {
        guard.check();
        settings.checkSize(record);
        write(() -> {
            if (pending == null) {
                pending = env.txnWrite();
            }
            boolean positional = record.position() != LogRecord.METADATA;
            ByteBuffer key = codec.key(positional ? record.position() : record.kind());
            Dbi<ByteBuffer> database = positional ? positions : metadata;
            int bytes = LmdbRecordCodec.valueBytes(record);
            codec.encode(database.reserve(pending, key, bytes), record);
            unforcedBytes.addAndGet(bytes);
        });
    }

    @Override
    public void sync() throws IOException {
        write(() -> {
            commit();
            if (forcer != null) {
                forcer.dirty();
            }
        });
    }

    private void commit() {
        if (pending == null) {
            return;
        }
        long start = System.nanoTime();
        pending.commit();
        pending.close();
        pending = null;
        if (durability == Durability.SYNC) {
            forced(unforcedBytes.getAndSet(0), start);
        }
    }

    private void force() {
        long bytes = unforcedBytes.getAndSet(0);
        long start = System.nanoTime();
        env.sync(true);
        forced(bytes, start);
    }

    private void forced(long bytes, long startNanos) {
        statistics.record(() -> dataFile().toString(), bytes, System.nanoTime() - startNanos);
    }

    private interface Change {
        void make() throws IOException;
    }

    private void write(Change change) throws IOException {
        guard.enter();
        try {
            change.make();
        } catch (Env.MapFullException e) {
            throw guard.failed(
                    "written",
                    new IOException("the store has reached its bound of " + settings.lmdbMapBytes() + " bytes", e),
                    "start with a larger bound (lmdbMapBytes)");
        } catch (LmdbException e) {
            throw guard.failed("written", new IOException(e.getMessage(), e));
        } catch (IOException e) {
            throw guard.failed("written", e);
        }
        guard.leave();
    }

    @Override
    public void truncate(long belowPosition) throws IOException {
        write(() -> {
            commit();
            long keepFrom = keepFrom(belowPosition);
            boolean more = true;
            while (more) {
                more = deleteBelow(keepFrom);
            }
        });
    }

    @Override
    public void discardThrough(long position) throws IOException {
        guard.check();
        if (Discarded.position(recovered(0).metadata(Discarded.KIND)) == position) {
            return;
        }
        write(() -> {
            commit();
            boolean more = true;
            while (more) {
                more = deleteBelow(position + 1);
            }
        });
        // The record comes last, so that after a crash before it the next start discards anew.
        append(Discarded.record(position));
        write(() -> {
            commit();
            env.sync(true);
        });
    }

    private long keepFrom(long belowPosition) {
        long keptBytes = 0;
        long keptPositions = 0;
        try (Txn<ByteBuffer> transaction = env.txnRead();
                Cursor<ByteBuffer> cursor = positions.openCursor(transaction)) {
            boolean found = cursor.get(codec.key(belowPosition), GetOp.MDB_SET_RANGE) ? cursor.prev() : cursor.last();
            while (found) {
                keptBytes += cursor.val().remaining();
                keptPositions++;
                if (keptBytes > settings.retentionBytes() || keptPositions > settings.maxRetainedPositions()) {
                    return LmdbRecordCodec.number(cursor.key()) + 1;
                }
                found = cursor.prev();
            }
        }
        return 0;
    }

    private boolean deleteBelow(long position) {
        try (Txn<ByteBuffer> transaction = env.txnWrite()) {
            int deleted = 0;
            try (Cursor<ByteBuffer> cursor = positions.openCursor(transaction)) {
                while (deleted < DELETES_PER_TRANSACTION
                        && cursor.first()
                        && LmdbRecordCodec.number(cursor.key()) < position) {
                    cursor.delete();
                    deleted++;
                }
            }
            if (deleted > 0) {
                transaction.commit();
            }
            return deleted == DELETES_PER_TRANSACTION;
        }
    }

    @Override
    public List<LogRecord> read(long fromPosition, int maxBytes) throws IOException {
        mapped.readLock().lock();
        try {
            guard.check();
            return readMapped(fromPosition, maxBytes);
        } finally {
            mapped.readLock().unlock();
        }
    }

    private List<LogRecord> readMapped(long fromPosition, int maxBytes) throws IOException {
        List<LogRecord> records = new ArrayList<>();
        LmdbRecordCodec reader = new LmdbRecordCodec();
        long bytes = 0;
        try (Txn<ByteBuffer> transaction = env.txnRead();
                Cursor<ByteBuffer> cursor = positions.openCursor(transaction)) {
            boolean found = cursor.get(reader.key(fromPosition), GetOp.MDB_SET_KEY);
            while (found && (records.isEmpty() || bytes < maxBytes)) {
                LogRecord record = decode(reader, cursor, true);
                records.add(record);
                bytes += record.head().length() + record.body().length();
                found = cursor.next() && LmdbRecordCodec.number(cursor.key()) == fromPosition + records.size();
            }
        } catch (LmdbException e) {
            throw new IOException("the acceptor log in " + directory + " could not be read: " + e.getMessage(), e);
        }
        return records;
    }

    @Override
    public RecoveredState recovered(long appliedPosition) {
        return new Recovered(appliedPosition);
    }

    private final class Recovered implements RecoveredState {
        private final long appliedPosition;

        Recovered(long appliedPosition) {
            this.appliedPosition = appliedPosition;
        }

        @Override
        public long appliedPosition() {
            return appliedPosition;
        }

        @Override
        public LogRecord metadata(int kind) {
            try (Txn<ByteBuffer> transaction = env.txnRead();
                    Cursor<ByteBuffer> cursor = metadata.openCursor(transaction)) {
                LmdbRecordCodec reader = new LmdbRecordCodec();
                return cursor.get(reader.key(kind), GetOp.MDB_SET_KEY) ? decode(reader, cursor, false) : null;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public long firstPosition() {
            return end(true);
        }

        @Override
        public long lastPosition() {
            return end(false);
        }

        private long end(boolean first) {
            try (Txn<ByteBuffer> transaction = env.txnRead();
                    Cursor<ByteBuffer> cursor = positions.openCursor(transaction)) {
                boolean found = first ? cursor.first() : cursor.last();
                return found ? LmdbRecordCodec.number(cursor.key()) : 0;
            }
        }

        @Override
        public void forEachPosition(long fromPosition, Consumer<LogRecord> visitor) {
            LmdbRecordCodec reader = new LmdbRecordCodec();
            try (Txn<ByteBuffer> transaction = env.txnRead();
                    Cursor<ByteBuffer> cursor = positions.openCursor(transaction)) {
                boolean found = cursor.get(reader.key(Math.max(0, fromPosition)), GetOp.MDB_SET_RANGE);
                while (found) {
                    visitor.accept(decode(reader, cursor, true));
                    found = cursor.next();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public SyncStatistics syncStatistics() {
        return statistics;
    }

    @Override
    public long sizeBytes() {
        return dataFile().length();
    }

    @Override
    public void close() throws IOException {
        boolean sound = guard.sound();
        if (!guard.close()) {
            return;
        }
        try {
            if (forcer != null) {
                forcer.close();
            }
            if (sound) {
                commit();
                if (forcer != null) {
                    forcer.check();
                    force();
                }
            }
        } catch (LmdbException e) {
            throw guard.failed("closed", new IOException(e.getMessage(), e));
        } finally {
            if (pending != null) {
                pending.close();
            }
            closeEnvironment();
            directoryLock.close();
        }
    }

    /** Waits for whoever reads: to take the memory away would end the process with a signal. */
    private void closeEnvironment() {
        mapped.writeLock().lock();
        try {
            env.close();
        } finally {
            mapped.writeLock().unlock();
        }
    }
}
