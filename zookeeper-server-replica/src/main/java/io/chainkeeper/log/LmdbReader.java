package io.chainkeeper.log;

import static org.lmdbjava.EnvFlags.MDB_NOLOCK;
import static org.lmdbjava.EnvFlags.MDB_RDONLY_ENV;

import io.chainkeeper.ordering.LogRecord;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.Env;
import org.lmdbjava.GetOp;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;

/** Reads all records of an LMDB store that no server has open; changes nothing. Stateless. */
final class LmdbReader {
    /** Told of the records: metadata first, then positions ascending. */
    interface Visitor {
        void record(LogRecord record) throws IOException;

        /** A record that is not intact. */
        void damaged(String what) throws IOException;
    }

    private LmdbReader() {}

    /**
     * Reads a store.
     *
     * @param directory holds it
     * @param visitor told of every record
     * @throws CorruptLogException if the store around the records is damaged
     * @throws IOException if it cannot be opened
     */
    static void read(Path directory, Visitor visitor) throws IOException {
        LmdbFormat.check(directory);
        LmdbStore.checkNotEmpty(directory);
        File file = directory.resolve(LmdbAcceptorLog.DATA_FILE).toFile();
        AcceptorLogSettings settings = AcceptorLogSettings.defaults();
        try (Env<ByteBuffer> env =
                LmdbStore.open(directory, directory, settings.lmdbMapBytes(), MDB_RDONLY_ENV, MDB_NOLOCK)) {
            // Reading a mapped page behind the end of the file would end the process with a signal.
            if (file.length() < (env.info().lastPageNumber + 1) * env.stat().pageSize) {
                throw LmdbStore.corrupt(directory, "the file has been cut");
            }
            List<String> names = env.getDbiNames().stream()
                    .map(name -> new String(name, StandardCharsets.UTF_8))
                    .toList();
            for (String name : List.of(LmdbAcceptorLog.METADATA, LmdbAcceptorLog.POSITIONS)) {
                if (names.contains(name)) {
                    forEach(env, name, visitor);
                }
            }
        } catch (LmdbException e) {
            throw LmdbStore.failed(directory, e);
        } catch (LinkageError e) {
            throw LmdbStore.notLoaded(e);
        }
    }

    private static void forEach(Env<ByteBuffer> env, String name, Visitor visitor) throws IOException {
        boolean positional = name.equals(LmdbAcceptorLog.POSITIONS);
        LmdbRecordCodec codec = new LmdbRecordCodec();
        Dbi<ByteBuffer> database = env.openDbi(name);
        try (Txn<ByteBuffer> transaction = env.txnRead();
                Cursor<ByteBuffer> cursor = database.openCursor(transaction)) {
            boolean found = cursor.get(codec.key(0), GetOp.MDB_SET_RANGE);
            while (found) {
                LogRecord record = codec.decode(cursor.key(), cursor.val(), positional);
                if (record == null) {
                    visitor.damaged(LmdbRecordCodec.describe(cursor.key(), positional));
                } else {
                    visitor.record(record);
                }
                found = cursor.next();
            }
        }
    }
}
