package io.chainkeeper.log;

import io.chainkeeper.ordering.LogRecord;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads an acceptor log from its first byte to its last, and goes on behind damage. Changes nothing, creates nothing
 * and locks nothing: the segments of a running server are read as far as they are written, an LMDB store only while no
 * server has it open. Used by one thread, for one log.
 */
public final class LogInspection {
    private final LogVisitor visitor;
    private final PositionIndex positions = new PositionIndex();

    /** Where the records of the segment read last end; -1 if there is none, or its end is not known. */
    private long previousEnd = -1;

    /** Number of that segment, 0 if there is none. */
    private int previousNumber;

    /** Whether the segment that is being read has damage, which tells enough of where its records end. */
    private boolean isDamaged;

    /** @param visitor told of everything */
    public LogInspection(LogVisitor visitor) {
        this.visitor = visitor;
    }

    /**
     * Consecutive positions without a record.
     *
     * @param first the first of them
     * @param last the last of them
     */
    public record Gap(long first, long last) {}

    /**
     * Reads all of a log.
     *
     * @param directory holds it
     * @return the store that it is in; null if there is no log
     * @throws io.chainkeeper.release.NewerFormatException if a later release wrote it
     * @throws IOException if it cannot be read, or a server has the LMDB store open
     */
    public LogStore directory(Path directory) throws IOException {
        LogStore store = AcceptorLogs.present(directory);
        if (store == LogStore.LMDB) {
            readStore(directory);
        } else if (store == LogStore.SEGMENTED) {
            segments(new DirectoryLogFiles(directory));
        }
        return store;
    }

    /** Reads all segments of a directory. */
    void segments(LogFiles files) throws IOException {
        List<String> names = new ArrayList<>(files.list());
        names.removeIf(name -> !isSegment(name));
        names.sort(null);
        for (int i = 0; i < names.size(); i++) {
            segment(files, names.get(i), i + 1 < names.size() ? names.get(i + 1) : null);
        }
    }

    /**
     * Reads one segment, as if it were the last one.
     *
     * @param file the file
     * @throws IOException as {@link #directory}
     */
    public void segment(Path file) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        segment(new DirectoryLogFiles(directory), file.getFileName().toString(), null);
    }

    /**
     * @param name a file's name
     * @return whether it is that of a segment
     */
    public static boolean isSegment(String name) {
        return SegmentHeader.number(name) > 0;
    }

    /**
     * @param name a file's name
     * @return whether it is that of an LMDB store
     */
    public static boolean isStore(String name) {
        return name.equals(LmdbAcceptorLog.DATA_FILE);
    }

    /** @return the first position that has a record that counts, 0 if none has */
    public long firstPosition() {
        return positions.first();
    }

    /** @return the last position that has a record that counts, 0 if none has */
    public long lastPosition() {
        return positions.last();
    }

    /**
     * @param belowPosition from 1
     * @return the positions between the first record and this one that have none, ascending
     */
    public List<Gap> gaps(long belowPosition) {
        List<Gap> gaps = new ArrayList<>();
        long expected = positions.first();
        while (expected > 0 && expected < belowPosition) {
            long next = positions.ceiling(expected);
            long last = next == 0 ? belowPosition - 1 : Math.min(next, belowPosition) - 1;
            if (last >= expected) {
                gaps.add(new Gap(expected, last));
            }
            expected = next == 0 ? belowPosition : next + 1;
        }
        return gaps;
    }

    /**
     * Puts in words what the log itself has written.
     *
     * @param record a record
     * @return what it says; null if it is none of the log's own
     */
    public static String describe(LogRecord record) {
        boolean own = record.position() == LogRecord.METADATA && record.kind() == Discarded.KIND;
        return own ? "positions up to " + Discarded.position(record) + " do not count any more" : null;
    }

    private void readStore(Path directory) throws IOException {
        if (DirectoryLock.isHeld(directory)) {
            throw new IOException(
                    directory + " is in use by a server, and its LMDB store (ordering.logStore=lmdb) cannot"
                            + " be read beside it: stop the server, or look at a copy of a stopped one's directory");
        }
        String file = directory.resolve(LmdbAcceptorLog.DATA_FILE).toString();
        try {
            LmdbReader.read(directory, new LmdbReader.Visitor() {
                @Override
                public void record(LogRecord record) {
                    visit(
                            new LogVisitor.Place(file, LogFinding.NO_OFFSET, LmdbRecordCodec.valueBytes(record), false),
                            record,
                            1,
                            1);
                }

                @Override
                public void damaged(String what) {
                    visitor.found(new LogFinding(LogFinding.Kind.DAMAGE, file, LogFinding.NO_OFFSET, what));
                }
            });
        } catch (CorruptLogException e) {
            visitor.found(new LogFinding(LogFinding.Kind.DAMAGE, file, LogFinding.NO_OFFSET, e.what()));
        }
    }

    /** Reads a segment; the name of the one behind it tells where its records must end. */
    private void segment(LogFiles files, String name, String following) throws IOException {
        SegmentScanner scanner = open(files, name);
        if (scanner == null) {
            return;
        }
        try {
            checkFollows(files, scanner);
            visitor.segment(new LogVisitor.SegmentFacts(
                    files.path(name), scanner.header().number(), scanner.fileBytes(), scanner.release()));
            long expectedEnd = expectedEnd(files, scanner.header().number(), following);
            isDamaged = false;
            scanner = readRecords(files, name, scanner, expectedEnd);
            previousNumber = scanner.header().number();
            previousEnd = isDamaged ? -1 : scanner.end();
        } finally {
            scanner.close();
        }
    }

    /** Returns null if the file is gone, or its header is damaged. */
    private SegmentScanner open(LogFiles files, String name) throws IOException {
        try {
            return new SegmentScanner(files, name);
        } catch (CorruptLogException e) {
            visitor.found(new LogFinding(LogFinding.Kind.DAMAGE, e.file(), e.offset(), e.what()));
            previousNumber = SegmentHeader.number(name);
        } catch (IOException e) {
            checkDeleted(e);
            previousNumber = 0;
        }
        previousEnd = -1;
        return null;
    }

    /** A running server deletes its oldest segments; what it deleted while we read is none that is missing. */
    private static void checkDeleted(IOException failure) throws IOException {
        if (!(failure.getCause() instanceof NoSuchFileException)) {
            throw failure;
        }
    }

    private void checkFollows(LogFiles files, SegmentScanner scanner) {
        int number = scanner.header().number();
        if (previousNumber > 0 && number != previousNumber + 1) {
            String missing = files.path(SegmentHeader.name(previousNumber + 1));
            String until = number == previousNumber + 2 ? "" : " up to " + SegmentHeader.name(number - 1);
            visitor.found(new LogFinding(
                    LogFinding.Kind.DAMAGE,
                    missing,
                    0,
                    "the file" + until + " is missing, but " + SegmentHeader.name(number) + " follows it"));
        } else if (previousEnd >= 0 && scanner.header().previousEnd() != previousEnd) {
            visitor.found(new LogFinding(
                    LogFinding.Kind.DAMAGE,
                    files.path(SegmentHeader.name(previousNumber)),
                    previousEnd,
                    "the intact records end here, but " + SegmentHeader.name(number)
                            + " says that they went on to byte "
                            + scanner.header().previousEnd()));
        }
    }

    /** Returns -1 where the header of the following segment cannot tell. */
    private static long expectedEnd(LogFiles files, int number, String following) throws IOException {
        if (following == null || SegmentHeader.number(following) != number + 1) {
            return -1;
        }
        try (SegmentScanner next = new SegmentScanner(files, following)) {
            return next.header().previousEnd();
        } catch (CorruptLogException e) {
            return -1; // said when that segment is read
        } catch (IOException e) {
            checkDeleted(e);
            return -1;
        }
    }

    private SegmentScanner readRecords(LogFiles files, String name, SegmentScanner opened, long expectedEnd)
            throws IOException {
        SegmentScanner scanner = opened;
        long lookedAgainAt = -1;
        while (true) {
            while (scanner.next()) {
                visit(files, name, scanner);
            }
            int end = scanner.end();
            LogFinding finding = atEnd(files.path(name), scanner, expectedEnd);
            if (finding == null || finding.kind() == LogFinding.Kind.UNFINISHED) {
                if (finding != null) {
                    visitor.found(finding);
                }
                return scanner;
            }
            if (expectedEnd < 0 && lookedAgainAt != end) {
                // A running server may have finished this record since it was read, and written others behind it.
                lookedAgainAt = end;
                SegmentScanner again = open(files, name);
                if (again == null) {
                    return scanner;
                }
                scanner.close();
                scanner = again;
                scanner.goTo(end);
                continue;
            }
            isDamaged = true;
            boolean more = scanner.skip();
            visitor.found(
                    more
                            ? new LogFinding(
                                    finding.kind(),
                                    finding.file(),
                                    finding.offset(),
                                    finding.what() + "; the next intact record begins at byte " + scanner.offset())
                            : finding);
            if (!more) {
                return scanner;
            }
            visit(files, name, scanner);
        }
    }

    /** Judges what stands where no intact record begins; null if that is nothing. */
    private static LogFinding atEnd(String file, SegmentScanner scanner, long expectedEnd) throws IOException {
        int end = scanner.end();
        if (end == expectedEnd) {
            return null;
        }
        String obstacle = scanner.obstacle();
        if (end < scanner.header().metadataEnd()) {
            return new LogFinding(
                    LogFinding.Kind.DAMAGE,
                    file,
                    end,
                    "the copy of the metadata that the segment begins with is not intact: " + obstacle);
        }
        if (expectedEnd > end) {
            return new LogFinding(
                    LogFinding.Kind.DAMAGE, file, end, obstacle + ", and records went on to byte " + expectedEnd);
        }
        if (scanner.damagedAtEnd()) {
            return new LogFinding(
                    LogFinding.Kind.DAMAGE,
                    file,
                    end,
                    obstacle + ", but later records were written when this place was already on disk, so this is no"
                            + " unfinished write");
        }
        if (!scanner.remainsBehindEnd()) {
            return null;
        }
        return new LogFinding(
                LogFinding.Kind.UNFINISHED,
                file,
                end,
                obstacle + ": a write that was not finished, as a crash leaves it and a running server until it is"
                        + " done; a start cuts it off, and nothing was acknowledged by it");
    }

    private void visit(LogFiles files, String name, SegmentScanner scanner) {
        visit(
                new LogVisitor.Place(
                        files.path(name),
                        scanner.offset(),
                        scanner.record().recordBytes(),
                        scanner.offset() < scanner.header().metadataEnd()),
                scanner.toRecord(),
                scanner.offset(),
                (int) scanner.record().recordBytes());
    }

    private void visit(LogVisitor.Place place, LogRecord record, int offset, int length) {
        if (record.position() != LogRecord.METADATA) {
            positions.put(record.position(), 1, offset, length);
        } else if (record.kind() == Discarded.KIND && !place.isCopy()) {
            positions.removeBelow(Discarded.position(record) + 1);
        }
        visitor.record(place, record);
    }
}
