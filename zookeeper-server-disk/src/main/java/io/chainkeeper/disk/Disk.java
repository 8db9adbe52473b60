package io.chainkeeper.disk;

import io.chainkeeper.disk.layout.DamagedBlockException;
import io.chainkeeper.disk.layout.DiskLayout;
import io.chainkeeper.disk.layout.RingEntry;
import io.chainkeeper.disk.layout.RingExtent;
import io.chainkeeper.disk.layout.ServerHeader;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * One shared disk, as this server uses it: reads its own part when it opens the disk, writes its header and its ring,
 * and reads all headers behind each write of the ring.
 */
final class Disk {
    /** What becomes of a disk is of interest to all that the server does. */
    interface Listener {
        /** All headers were read; called before whoever asked for them. */
        void onHeaders(Disk disk, Headers headers);
    }

    private enum Stage {
        /** It has failed, or was never tried. */
        CLOSED,
        /** This server's own part is being read. */
        OPENING,
        /** That is read; nothing may be written yet. */
        OPEN,
        /** In use. */
        READY
    }

    /** @param life of the disk that it was asked in; answers of earlier lives are of no use */
    private record Request(long offset, int length, int life, Consumer<ByteSlice> onRead, Runnable onWritten) {}

    private final int number;
    private final DiskState state;
    private final Listener listener;
    private final ArrayDeque<Request> underWay = new ArrayDeque<>();
    private Stage stage = Stage.CLOSED;
    private int life;
    private long retryTick;
    private String reason = "it has not answered yet";

    /** What this server finds of its own ring. */
    private final List<RingEntry> found = new ArrayList<>();

    /** The own header that is durable there. */
    private ServerHeader header;

    /** How long nothing was answered although something was asked. */
    private int ticksWithoutAnswer;

    /** Whether that was longer than a leader may be silent, and the headers were not read since. */
    private boolean hangs;

    private boolean headerWanted;
    private boolean headerUnderWay;

    /** When the own header became durable here last. */
    private long headerTick = -1;

    /** Ring entries up to here were asked to be written, and are durable. */
    private long asked;

    private long durable;
    private long bytesUnderWay;

    /** What is durable of the ring is without gaps from here on; nothing is written before a header says so. */
    private long begins;

    private boolean confirming;

    private boolean isBeingScanned;

    /** No higher ballot was there when the headers were read behind this. */
    private long confirmedTo;

    private long roundRead;

    Disk(int number, DiskState state, Listener listener) {
        this.number = number;
        this.state = state;
        this.listener = listener;
    }

    int number() {
        return number;
    }

    DiskLayout layout() {
        return state.layout;
    }

    boolean isReady() {
        return stage == Stage.READY;
    }

    boolean isOpen() {
        return stage == Stage.OPEN;
    }

    /** Whether it is in use and does not hang. */
    boolean isAnswering() {
        return stage == Stage.READY && !hangs;
    }

    /** Whether everything that was asked of it has been answered. */
    boolean isIdle() {
        return underWay.isEmpty();
    }

    /** Whether the rings of all servers are being read here. */
    boolean isBeingScanned() {
        return isBeingScanned;
    }

    /** That begins, or has ended. */
    void scanned(boolean isBegin) {
        isBeingScanned = isBegin;
    }

    /** Why it is not in use. */
    String reason() {
        return reason;
    }

    /** The own header that is durable there; null before it was read. */
    ServerHeader header() {
        return header;
    }

    /** When that became durable; negative if none has. */
    long headerTick() {
        return headerTick;
    }

    List<RingEntry> found() {
        return found;
    }

    /** How far the own ring reaches there, as it was found. */
    RingExtent extent() {
        RingExtent extent = RingExtent.empty(header.tail());
        return found.isEmpty() ? extent : extent.with(found.get(found.size() - 1));
    }

    /** Entries up to here are durable, and no higher ballot was there afterwards. */
    long counted() {
        return Math.min(confirmedTo, durable);
    }

    long roundRead() {
        return roundRead;
    }

    // ---------------------------------------------------------------- requests

    /** Reads; what comes back goes to the consumer, unless the disk fails before. */
    void read(long offset, int length, Consumer<ByteSlice> onRead) {
        underWay.add(new Request(offset, length, life, onRead, null));
        state.effects.readBlocks(number, offset, length);
    }

    private void write(long offset, ByteSlice bytes, Runnable onWritten) {
        underWay.add(new Request(offset, bytes.length(), life, null, onWritten));
        state.effects.writeBlocks(number, offset, bytes);
    }

    void onWritten(long offset, int length) {
        Request request = answered(offset, length);
        InvariantViolated.check(request.onWritten() != null, "disk %d answers a read with a write", number);
        if (request.life() == life) {
            request.onWritten().run();
        }
    }

    void onRead(long offset, ByteSlice bytes) {
        Request request = answered(offset, bytes.length());
        InvariantViolated.check(request.onRead() != null, "disk %d answers a write with a read", number);
        if (request.life() == life) {
            request.onRead().accept(bytes);
        }
    }

    private Request answered(long offset, int length) {
        ticksWithoutAnswer = 0;
        Request request = underWay.poll();
        InvariantViolated.check(
                request != null && request.offset() == offset && request.length() == length,
                "disk %d answers %d bytes at %d, asked was %s",
                number,
                length,
                offset,
                request);
        return request;
    }

    /** The disk has failed: what was under way is not answered any more. */
    void failed(String why) {
        underWay.clear();
        leave(why);
    }

    /** The disk is not to be used, although it answers. */
    private void leave(String why) {
        stage = Stage.CLOSED;
        reason = why;
        life++;
        retryTick = state.now + state.settings.retryTicks();
        ticksWithoutAnswer = 0;
        hangs = false;
        headerUnderWay = false;
        confirming = false;
        isBeingScanned = false;
        bytesUnderWay = 0;
        header = null;
        found.clear();
    }

    /** Reads superblock and headers. */
    void readHeaders(Consumer<Headers> onRead) {
        read(0, state.layout.headersBytes(), bytes -> {
            Headers headers;
            try {
                headers = Headers.decode(bytes, state.layout);
            } catch (DamagedBlockException e) {
                leave(e.getMessage());
                return;
            }
            String refusal = state.refusal(number, headers.superblock());
            if (refusal != null) {
                leave(refusal);
                return;
            }
            int present = life;
            hangs = false;
            listener.onHeaders(this, headers);
            if (present == life) {
                onRead.accept(headers);
            }
        });
    }

    // ---------------------------------------------------------------- opening

    /** Tries to open the disk, if it is time; notices that it hangs. */
    void tick() {
        ticksWithoutAnswer = underWay.isEmpty() || hangs ? 0 : ticksWithoutAnswer + 1;
        hangs |= ticksWithoutAnswer > state.settings.suspicionTicks();
        if (stage == Stage.CLOSED && state.now >= retryTick && underWay.isEmpty()) {
            stage = Stage.OPENING;
            found.clear();
            readHeaders(headers -> {
                header = headers.bySlot().get(state.slot);
                new RingReader(this, state.clusterId(), state.slot, header.tail(), found::add, this::opened).start();
            });
        }
    }

    private void opened() {
        stage = Stage.OPEN;
    }

    /** Another disk has shown a later generation; what was read here may be of a disk that is none any more. */
    void compareAgain() {
        if (stage == Stage.OPEN || stage == Stage.OPENING && header != null) {
            leave("another disk was replaced");
        }
    }

    /** This server knows its own ring: what the disk lacks of it is written, and the disk counts. */
    void join() {
        InvariantViolated.check(stage == Stage.OPEN, "disk %d joins as %s", number, stage);
        stage = Stage.READY;
        state.freeAsIn(header);
        // A disk whose tail this ring does not reach holds nothing that counted: docs/disk.md.
        boolean isKnown = header.tail() <= state.ring.tail();
        durable = isKnown ? state.ring.matched(found) : state.ring.tail();
        asked = durable;
        begins = state.ring.tail();
        confirmedTo = Math.min(confirmedTo, durable);
        found.clear();
        headerWanted = true;
        pump();
    }

    // ---------------------------------------------------------------- header

    /** Something has changed that the header tells. */
    void wantHeader() {
        headerWanted = true;
        writeHeader();
    }

    private void writeHeader() {
        if (stage != Stage.READY || !headerWanted || headerUnderWay) {
            return;
        }
        headerWanted = false;
        headerUnderWay = true;
        ServerHeader next = state.header(header.diskId(), header.sequence() + 1);
        write(state.layout.headerOffset(state.slot), next.encode(header), () -> {
            headerUnderWay = false;
            headerTick = state.now;
            header = next;
            pump();
        });
    }

    // ---------------------------------------------------------------- ring

    /** Writes what can be written. */
    void pump() {
        if (stage != Stage.READY) {
            return;
        }
        if (state.ring.tail() > durable) {
            durable = state.ring.tail();
            asked = Math.max(asked, durable);
            begins = durable;
        }
        if (!state.rules.isOn(SafetyRule.READ_BEGINS_BEHIND_THE_DURABLE_WRITE)) {
            confirm(state.ring.end());
        }
        OwnRing.Stored next = state.ring.at(asked);
        while (next != null && bytesUnderWay < DiskSettings.MAX_BYTES_UNDER_WAY && mayWrite(next.entry())) {
            writeEntry(next);
            next = state.ring.at(asked);
        }
        writeHeader();
        confirm();
    }

    /**
     * A reader begins at the tail that the header says, and must find everything from there on. The tail of an earlier
     * start may leave out other entries than this ring has freed, so the header is one of this start.
     */
    private boolean mayWrite(RingEntry entry) {
        boolean isOwn = header.incarnation() == state.context.incarnation();
        boolean isSeen = isOwn && header.tail() >= begins && header.tail() <= durable;
        boolean isFree = entry.end() - header.tail() <= state.layout.regionBytes();
        headerWanted |= !isSeen || !isFree;
        return isSeen && isFree;
    }

    private void writeEntry(OwnRing.Stored stored) {
        RingEntry entry = stored.entry();
        int length = stored.encoded().length();
        bytesUnderWay += length;
        asked = entry.end();
        long inRegion = entry.ringOffset() % state.layout.regionBytes();
        write(state.layout.ringOffset(state.slot) + inRegion, stored.encoded(), () -> {
            bytesUnderWay -= length;
            durable = Math.max(durable, entry.end());
            pump();
        });
    }

    /** Reads the headers behind what is durable, or for reads that wait. */
    private void confirm() {
        if (!state.rules.isOn(SafetyRule.READ_AFTER_WRITE)) {
            confirmedTo = durable;
        }
        confirm(durable);
    }

    private void confirm(long covers) {
        boolean isNews = covers > confirmedTo || state.round > roundRead;
        if (!state.isLeading || confirming || !isNews || stage != Stage.READY) {
            return;
        }
        confirming = true;
        long round = state.round;
        readHeaders(headers -> {
            confirming = false;
            if (state.isLeading) {
                confirmedTo = Math.max(confirmedTo, covers);
                roundRead = round;
            }
            pump();
        });
    }
}
