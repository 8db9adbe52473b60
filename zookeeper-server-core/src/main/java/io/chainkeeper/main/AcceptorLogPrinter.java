package io.chainkeeper.main;

import io.chainkeeper.log.LogFinding;
import io.chainkeeper.log.LogInspection;
import io.chainkeeper.log.LogStore;
import io.chainkeeper.log.LogVisitor;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.acceptor.AcceptedHead;
import io.chainkeeper.server.inspection.RecordWords;
import io.chainkeeper.server.inspection.StateFiles;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Prints what {@link LogInspection} and {@link StateFiles} read, keeps what is damaged. For one directory or file. */
final class AcceptorLogPrinter implements LogVisitor {
    /** More of them say nothing new. */
    private static final int MAX_DAMAGE = 1000;

    private final PrintStream out;
    private final boolean isRanged;
    private final long from;
    private final long to;
    private final List<String> damage = new ArrayList<>();
    private final StateFiles files = new StateFiles(this::print);
    private final LogInspection log = new LogInspection(this);
    private RecordWords words;
    private LogStore store;
    private int segments;
    private int otherFiles;
    private long records;
    private long bytes;
    private long decided;
    private boolean isUnfinished;

    /**
     * @param out where records are printed; null if they are only to be checked
     * @param isRanged whether only positions are to be printed
     * @param from the first of them
     * @param to the last of them
     */
    AcceptorLogPrinter(PrintStream out, boolean isRanged, long from, long to) {
        this.out = out;
        this.isRanged = isRanged;
        this.from = from;
        this.to = to;
    }

    /** Reads everything in an ordering directory. */
    void directory(Path ordering, List<OrderingProtocolFactory> factories) throws IOException {
        String name = AcceptorLogCommand.protocolName(ordering);
        if (name == null) {
            name = nameInLog(inspection -> inspection.directory(ordering));
        }
        words = new RecordWords(AcceptorLogCommand.protocol(factories, name), LogInspection::describe);
        store = log.directory(ordering);
        // The log before its checkpoints: a running server shortens it only behind the newest of them.
        for (Path file : StateFiles.in(ordering)) {
            read(file);
        }
        if (store != null) {
            findGaps(ordering);
        } else if (otherFiles == 0) {
            throw new IOException(
                    ordering + " holds no acceptor log; give dataLogDir, its directory ordering, or a file" + " of it");
        }
    }

    /** Reads one file. */
    void file(Path file, List<OrderingProtocolFactory> factories) throws IOException {
        if (StateFiles.isOne(file)) {
            read(file);
            return;
        }
        String name = nameInLog(inspection -> inspection.segment(file));
        words = new RecordWords(AcceptorLogCommand.protocol(factories, name), LogInspection::describe);
        store = LogStore.SEGMENTED;
        log.segment(file);
    }

    private interface Inspected {
        void by(LogInspection inspection) throws IOException;
    }

    /** Each segment begins with the latest metadata, and the protocol's name is the last of it. */
    private static String nameInLog(Inspected inspected) throws IOException {
        String[] name = {null};
        inspected.by(new LogInspection(new LogVisitor() {
            @Override
            public void segment(SegmentFacts facts) {}

            @Override
            public void record(Place place, LogRecord record) {
                if (record.position() == LogRecord.METADATA && record.kind() == LogRecord.PROTOCOL_KIND) {
                    name[0] = new String(record.head().toByteArray(), StandardCharsets.UTF_8);
                }
            }

            @Override
            public void found(LogFinding finding) {}
        }));
        return name[0];
    }

    private void read(Path file) throws IOException {
        otherFiles++;
        try {
            files.read(file);
        } catch (StateFiles.DamagedFileException e) {
            damaged(e.getMessage());
        }
    }

    @Override
    public void segment(SegmentFacts facts) {
        segments++;
        print(facts.file() + ": segment " + facts.number() + ", " + facts.bytes() + " bytes, written by "
                + (facts.release().contains(" ") ? "" : "release ") + facts.release());
    }

    @Override
    public void record(Place place, LogRecord record) {
        records++;
        bytes += place.bytes();
        boolean isMetadata = record.position() == LogRecord.METADATA;
        if (!isMetadata && record.head().length() == AcceptedHead.BYTES) {
            decided = Math.max(decided, AcceptedHead.of(record).decided());
        }
        List<String> lines;
        try {
            lines = words.of(record);
        } catch (MalformedMessageException e) {
            damaged(new LogFinding(
                            LogFinding.Kind.DAMAGE,
                            place.file(),
                            place.offset(),
                            "the checksums of " + name(record) + " are right, but it holds what no server writes: "
                                    + e.getMessage())
                    .toString());
            return;
        }
        boolean isInRange = isMetadata ? !isRanged : record.position() >= from && record.position() <= to;
        if (isInRange) {
            String offset = place.offset() == LogFinding.NO_OFFSET ? "" : place.offset() + "  ";
            print("  " + offset + (isMetadata ? "" : name(record) + " ") + lines.get(0) + ", " + place.bytes()
                    + " bytes, checksums right" + (place.isCopy() ? ", a copy" : ""));
            lines.subList(1, lines.size()).forEach(line -> print("    " + line));
        }
    }

    private static String name(LogRecord record) {
        return record.position() == LogRecord.METADATA
                ? "metadata of kind " + record.kind()
                : "position " + record.position();
    }

    @Override
    public void found(LogFinding finding) {
        if (finding.kind() == LogFinding.Kind.UNFINISHED) {
            isUnfinished = true;
            print("  unfinished: " + finding);
        } else {
            damaged(finding.toString());
        }
    }

    /** What a start needs of the log: everything from the newest checkpoint up to what is known as decided. */
    private void findGaps(Path ordering) {
        long executed = Math.max(0, files.checkpointPosition());
        long first = log.firstPosition();
        boolean knowsCheckpoints = files.checkpointPosition() >= 0 || first == 0;
        if (first > executed + 1 && knowsCheckpoints) {
            gap(ordering, new LogInspection.Gap(executed + 1, first - 1));
        }
        for (LogInspection.Gap gap : log.gaps(log.lastPosition() + 1)) {
            if (gap.last() > executed && gap.first() <= decided) {
                gap(ordering, new LogInspection.Gap(Math.max(gap.first(), executed + 1), gap.last()));
            }
        }
    }

    private void gap(Path ordering, LogInspection.Gap gap) {
        String checkpoint = files.checkpointPosition() < 0
                ? "no checkpoint"
                : "the newest checkpoint reaches position " + files.checkpointPosition();
        damaged(ordering + ": a hole: "
                + (gap.first() == gap.last()
                        ? "position " + gap.first() + " has no record"
                        : "positions " + gap.first() + " to " + gap.last() + " have no record")
                + ", but later ones have, and " + checkpoint + "; a start fetches what is missing from other servers");
    }

    private void damaged(String what) {
        print("  DAMAGED: " + what);
        if (damage.size() < MAX_DAMAGE) {
            damage.add(what);
        }
    }

    private void print(String line) {
        if (out != null) {
            out.println(line);
        }
    }

    /** One line for each damage; the first thousand. */
    List<String> damage() {
        return Collections.unmodifiableList(damage);
    }

    /** The last line. */
    String summary() {
        StringBuilder text = new StringBuilder(damage.isEmpty() ? "Whole: " : "Damaged: ");
        if (store != null) {
            text.append(store == LogStore.SEGMENTED ? segments + " segments" : "an LMDB store")
                    .append(" with ")
                    .append(records)
                    .append(" records, ")
                    .append(bytes)
                    .append(" bytes");
            if (log.lastPosition() > 0) {
                text.append(", positions ")
                        .append(log.firstPosition())
                        .append(" to ")
                        .append(log.lastPosition());
            }
            text.append(isUnfinished ? ", and an unfinished write at the end" : "")
                    .append("; ");
        }
        text.append(otherFiles).append(store == null ? " file" : " other files");
        return text.append(
                        damage.isEmpty()
                                ? "; all checksums right"
                                : "; " + damage.size() + " places, the first: " + damage.get(0))
                .toString();
    }
}
