package io.chainkeeper.log;

import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.LogTraces;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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
        List<LogRecord> metadata = new ArrayList<>();
        List<Integer> kinds = new ArrayList<>();
        LmdbReader.read(directory, new LmdbReader.Visitor() {
            @Override
            public void record(LogRecord record) {
                if (record.position() == LogRecord.METADATA) {
                    metadata.add(record);
                } else {
                    kinds.add(record.kind());
                }
            }

            @Override
            public void damaged(String what) throws IOException {
                throw LmdbStore.corrupt(directory, what);
            }
        });
        return new LogTraces(metadata, kinds);
    }
}
