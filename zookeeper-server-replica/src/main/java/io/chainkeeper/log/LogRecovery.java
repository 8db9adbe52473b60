package io.chainkeeper.log;

import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.LogTraces;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What the segment files of a directory hold. The scan changes nothing; it refuses a log that no crash can have left
 * behind.
 */
final class LogRecovery {
    /** All segments, ascending; empty if there is no log yet. */
    final List<Segment> segments = new ArrayList<>();

    /** Segments that were being prepared when the server ended. They hold no record that counts. */
    final List<String> abandoned = new ArrayList<>();

    /** Where the latest record of each position lies. */
    final PositionIndex index = new PositionIndex();

    /** The latest metadata. */
    final MetadataTable metadata = new MetadataTable();

    /** The kinds of all positional records. */
    private final boolean[] positionalKinds = new boolean[128];

    /** Where the records of the last segment end. */
    int end;

    /** Whether bytes other than zeros stand behind {@link #end}, to be cut off. */
    boolean torn;

    /** From this offset to {@link #end} the last segment may never have been forced. */
    int forcedOffset;

    private final LogFiles files;

    private LogRecovery(LogFiles files) {
        this.files = files;
    }

    /**
     * Reads and checks all segments.
     *
     * @param files the directory
     * @return what was found
     * @throws CorruptLogException if a record or a whole segment is damaged or missing
     * @throws IOException if something cannot be read
     */
    static LogRecovery scan(LogFiles files) throws IOException {
        LogRecovery recovery = new LogRecovery(files);
        List<String> names = new ArrayList<>();
        for (String name : files.list()) {
            if (SegmentHeader.number(name) > 0) {
                names.add(name);
            } else if (name.endsWith(SegmentHeader.PREPARED_SUFFIX)) {
                recovery.abandoned.add(name);
            }
        }
        names.sort(null);
        for (int i = 0; i < names.size(); i++) {
            recovery.scan(names.get(i), i == names.size() - 1);
        }
        return recovery;
    }

    private void scan(String name, boolean last) throws IOException {
        try (SegmentScanner scanner = new SegmentScanner(files, name)) {
            checkFollows(scanner.header(), name);
            Segment segment =
                    new Segment(scanner.header().number(), scanner.header().salt());
            segment.fileBytes = scanner.fileBytes();
            segments.add(segment);
            forcedOffset = scanner.header().metadataEnd();
            while (scanner.next()) {
                add(segment, scanner);
            }
            end = scanner.end();
            if (end < scanner.header().metadataEnd()) {
                throw corrupt(name, end, "the copy of the metadata that the segment begins with is not intact");
            }
            if (last) {
                if (scanner.damagedAtEnd()) {
                    throw corrupt(
                            name,
                            end,
                            "no intact record begins here, but later ones are intact and were"
                                    + " written when this place was already on disk, so this is no unfinished write");
                }
                torn = scanner.remainsBehindEnd();
            }
        }
    }

    /** Returns what tells which protocol has written the log. */
    LogTraces traces() {
        List<LogRecord> latest = new ArrayList<>();
        metadata.forEach(latest::add);
        List<Integer> kinds = new ArrayList<>();
        for (int kind = 1; kind < positionalKinds.length; kind++) {
            if (positionalKinds[kind]) {
                kinds.add(kind);
            }
        }
        return new LogTraces(latest, kinds);
    }

    private void checkFollows(SegmentHeader header, String name) throws CorruptLogException {
        if (segments.isEmpty()) {
            return;
        }
        Segment previous = segments.get(segments.size() - 1);
        if (header.number() != previous.number + 1) {
            String missing = SegmentHeader.name(previous.number + 1);
            throw corrupt(missing, 0, "the file is missing, but " + files.path(name) + " follows it");
        }
        if (header.previousEnd() != end) {
            throw corrupt(
                    previous.name(),
                    end,
                    "the intact records end here, but they went on to byte " + header.previousEnd());
        }
    }

    private void add(Segment segment, SegmentScanner scanner) {
        RecordHeader record = scanner.record();
        forcedOffset = Math.max(forcedOffset, record.syncedBelow());
        if (record.position() == LogRecord.METADATA) {
            LogRecord latest = scanner.toRecord();
            metadata.put(latest);
            // A copy at the beginning of a segment says nothing about records between the original and the copy.
            if (latest.kind() == Discarded.KIND
                    && scanner.offset() >= scanner.header().metadataEnd()) {
                index.removeBelow(Discarded.position(latest) + 1);
            }
        } else {
            index.put(record.position(), segment.number, scanner.offset(), (int) record.recordBytes());
            segment.include(record.position());
            positionalKinds[record.kind()] = true;
        }
    }

    private CorruptLogException corrupt(String name, long offset, String what) {
        return new CorruptLogException(files.directory(), files.path(name), offset, what);
    }
}
