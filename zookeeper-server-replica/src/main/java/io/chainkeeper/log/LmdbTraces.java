package io.chainkeeper.log;

import static org.lmdbjava.EnvFlags.MDB_NOLOCK;
import static org.lmdbjava.EnvFlags.MDB_RDONLY_ENV;

import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.LogTraces;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.Env;
import org.lmdbjava.GetOp;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;

/** Reads which kinds of records an LMDB store holds; opens the store read-only. Stateless. */
final class LmdbTraces {
    private LmdbTraces() {}

    /**
     * Reads a store that no server has open.
     *
     * @param directory holds it
     * @throws CorruptLogException if it is damaged
     * @throws IOException if it cannot be opened
     */
    static LogTraces read(Path directory) throws IOException {
        LmdbFormat.check(directory);
        File file = directory.resolve(LmdbAcceptorLog.DATA_FILE).toFile();
        AcceptorLogSettings settings = AcceptorLogSettings.defaults();
        try (Env<ByteBuffer> env = Env.create()
                .setMapSize(settings.lmdbMapBytes())
                .setMaxDbs(2)
                .open(directory.toFile(), MDB_RDONLY_ENV, MDB_NOLOCK)) {
            // Reading a mapped page behind the end of the file would end the process with a signal.
            if (file.length() < (env.info().lastPageNumber + 1) * env.stat().pageSize) {
                throw corrupt(directory, file, "the file has been cut");
            }
            List<String> names = env.getDbiNames().stream()
                    .map(name -> new String(name, StandardCharsets.UTF_8))
                    .toList();
            List<LogRecord> metadata = new ArrayList<>();
            List<Integer> kinds = new ArrayList<>();
            if (names.contains(LmdbAcceptorLog.METADATA)) {
                forEach(env, directory, file, LmdbAcceptorLog.METADATA, metadata::add);
            }
            if (names.contains(LmdbAcceptorLog.POSITIONS)) {
                forEach(env, directory, file, LmdbAcceptorLog.POSITIONS, record -> kinds.add(record.kind()));
            }
            return new LogTraces(metadata, kinds);
        } catch (LmdbException e) {
            throw corrupt(directory, file, e.getMessage());
        } catch (LinkageError e) {
            throw LmdbAcceptorLog.notLoaded(e);
        }
    }

    private static void forEach(
            Env<ByteBuffer> env, Path directory, File file, String name, Consumer<LogRecord> visitor)
            throws IOException {
        boolean positional = name.equals(LmdbAcceptorLog.POSITIONS);
        LmdbRecordCodec codec = new LmdbRecordCodec();
        Dbi<ByteBuffer> database = env.openDbi(name);
        try (Txn<ByteBuffer> transaction = env.txnRead();
                Cursor<ByteBuffer> cursor = database.openCursor(transaction)) {
            boolean found = cursor.get(codec.key(0), GetOp.MDB_SET_RANGE);
            while (found) {
                LogRecord record = codec.decode(cursor.key(), cursor.val(), positional);
                if (record == null) {
                    throw corrupt(directory, file, "a record of its " + name + " is not intact");
                }
                visitor.accept(record);
                found = cursor.next();
            }
        }
    }

    private static CorruptLogException corrupt(Path directory, File file, String what) {
        return new CorruptLogException(directory.toString(), file.toString(), 0, what);
    }
}
