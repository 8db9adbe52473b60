package io.chainkeeper.log;

import static org.lmdbjava.DbiFlags.MDB_CREATE;
import static org.lmdbjava.EnvFlags.MDB_NOLOCK;
import static org.lmdbjava.EnvFlags.MDB_NOSUBDIR;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.LmdbException;
import org.lmdbjava.LmdbNativeException;

/** Begins LMDB stores and opens them, and puts in words why one cannot be opened. Stateless. */
final class LmdbStore {
    private static final String PREPARED_FILE = LmdbAcceptorLog.DATA_FILE + ".new";
    private static final String LOCK_FILE = "lock.mdb";

    /** As long as LMDB makes it for as many readers as it has places for if nothing else is said. */
    private static final int LOCK_FILE_BYTES = 8192;

    private LmdbStore() {}

    /**
     * Begins a store, unless there is one; durably but for the directory. The file of a store bears its name only when
     * it is whole: a start that fails in the middle, without room on the disk for instance, leaves nothing that the
     * next one would have to take for damage, and an empty file in its place is damage. Also makes room for what LMDB
     * writes at each start. Whoever calls has the directory to itself.
     *
     * @param directory holds it
     * @param mapBytes largest size of a store
     * @throws CorruptLogException if there is one, and it is empty
     * @throws IOException if it cannot be begun
     */
    static void begin(Path directory, long mapBytes) throws IOException {
        Path file = directory.resolve(LmdbAcceptorLog.DATA_FILE);
        checkNotEmpty(directory);
        makeLockFile(directory);
        if (Files.exists(file)) {
            return;
        }
        Path prepared = directory.resolve(PREPARED_FILE);
        Files.deleteIfExists(prepared);
        try (Env<ByteBuffer> env = open(directory, prepared, mapBytes, MDB_NOSUBDIR, MDB_NOLOCK)) {
            env.openDbi(LmdbAcceptorLog.POSITIONS, MDB_CREATE);
            env.openDbi(LmdbAcceptorLog.METADATA, MDB_CREATE);
            env.sync(true);
        } catch (LmdbException e) {
            throw failed(directory, e);
        } catch (LinkageError e) {
            throw notLoaded(e);
        }
        Files.move(prepared, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** LMDB writes to it by mapped memory: where it finds no room for that, the process ends with a signal. */
    private static void makeLockFile(Path directory) throws IOException {
        Path file = directory.resolve(LOCK_FILE);
        if (Files.exists(file) && Files.size(file) >= LOCK_FILE_BYTES) {
            return;
        }
        try {
            Files.write(file, new byte[LOCK_FILE_BYTES]);
        } catch (IOException e) {
            throw unusable(directory, DirectoryLogFiles.reason(e), e);
        }
    }

    /**
     * Refuses a store whose file has lost everything. LMDB would begin a new one in it, and what was promised would be
     * forgotten.
     *
     * @param directory holds it
     * @throws CorruptLogException if its file is empty
     */
    static void checkNotEmpty(Path directory) throws IOException {
        Path file = directory.resolve(LmdbAcceptorLog.DATA_FILE);
        if (Files.isRegularFile(file) && Files.size(file) == 0) {
            throw corrupt(directory, "the file is empty");
        }
    }

    /**
     * Opens a store.
     *
     * @param directory for messages
     * @param path the directory, or with {@link EnvFlags#MDB_NOSUBDIR} the file
     * @param mapBytes largest size of the store
     * @param flags of LMDB
     * @return to be closed by the caller
     * @throws CorruptLogException if it is damaged
     * @throws IOException if it cannot be opened
     */
    static Env<ByteBuffer> open(Path directory, Path path, long mapBytes, EnvFlags... flags) throws IOException {
        try {
            return Env.create().setMapSize(mapBytes).setMaxDbs(2).open(path.toFile(), flags);
        } catch (Env.FileInvalidException | Env.VersionMismatchException e) {
            throw corrupt(directory, e.getMessage());
        } catch (LmdbException e) {
            throw unusable(directory, e.getMessage(), e);
        } catch (LinkageError | RuntimeException e) {
            throw notLoaded(e);
        }
    }

    /**
     * @param directory of a store
     * @param cause why it cannot be read, or not be begun
     * @return says so: a {@link CorruptLogException} unless it is the system that refuses
     */
    static IOException failed(Path directory, LmdbException cause) {
        return cause instanceof LmdbNativeException.ConstantDerivedException
                ? unusable(directory, cause.getMessage(), cause)
                : corrupt(directory, cause.getMessage());
    }

    private static IOException unusable(Path directory, String reason, Exception cause) {
        return new IOException(
                directory + " cannot be opened as an LMDB store (" + reason
                        + "): check that it belongs to user " + System.getProperty("user.name")
                        + ", and that its disk works and has free space",
                cause);
    }

    /** Which class fails to load, and how, depends on the option that is missing. */
    static IOException notLoaded(Throwable cause) {
        return new IOException(
                "LMDB cannot be loaded (" + cause.getClass().getSimpleName() + "): start Java with "
                        + LmdbAcceptorLog.JVM_OPTIONS + ", or use ordering.logStore=segmented",
                cause);
    }

    static CorruptLogException corrupt(Path directory, String what) {
        return new CorruptLogException(
                directory.toString(),
                directory.resolve(LmdbAcceptorLog.DATA_FILE).toString(),
                0,
                what);
    }
}
