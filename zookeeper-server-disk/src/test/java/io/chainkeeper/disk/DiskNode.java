package io.chainkeeper.disk;

import io.chainkeeper.contract.ScriptedHost;
import io.chainkeeper.contract.ScriptedLog;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.SharedDisks;
import io.chainkeeper.replica.RecordedProtocol;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** One server on simulated shared disks: what it asks of a disk happens when the test says so. */
final class DiskNode extends ScriptedHost {
    /** What was asked of a disk, in order. */
    private static final class Request {
        private final long offset;
        private final int length;
        private final ByteSlice written;
        private ByteSlice read;
        private boolean isCarriedOut;

        private Request(long offset, int length, ByteSlice written) {
            this.offset = offset;
            this.length = length;
            this.written = written;
        }
    }

    private static final int TICK_MILLIS = 10;

    private final SimulatedDisks disks;
    private final DiskEnsemble ensemble;
    private final List<ArrayDeque<Request>> underWay = new ArrayList<>();
    private final boolean[] cutOff;
    private final boolean[] hangs;
    private final boolean[] refusesWrites;
    private final List<ByteSlice> delivered = new ArrayList<>();
    private final Map<Long, Integer> barriers = new TreeMap<>();
    private long incarnation;
    private long sequence;
    private long token;
    private int checkpoint;
    private int checkpointsWanted;

    DiskNode(int id, DiskEnsemble ensemble, SimulatedDisks disks) {
        super(id, new ScriptedLog());
        this.ensemble = ensemble;
        this.disks = disks;
        this.cutOff = new boolean[disks.count()];
        this.hangs = new boolean[disks.count()];
        this.refusesWrites = new boolean[disks.count()];
        for (int i = 0; i < disks.count(); i++) {
            underWay.add(new ArrayDeque<>());
        }
    }

    void start(OrderingProtocolFactory factory, Map<String, String> settings, Ensemble configured, long seed) {
        incarnation++;
        sequence = 0;
        barriers.clear();
        while (delivered.size() > checkpoint) {
            delivered.remove(delivered.size() - 1);
        }
        long hash = PrefixHash.EMPTY;
        for (int i = 0; i < checkpoint; i++) {
            hash = PrefixHash.next(hash, i + 1L, delivered.get(i));
        }
        SplittableRandom random = new SplittableRandom(seed + id() + 100 * incarnation);
        ProtocolContext context = new ProtocolContext(
                id(), incarnation, configured, settings, random::nextInt, TICK_MILLIS, ProtocolContext.Start.ORDINARY);
        start(RecordedProtocol.create(this, effects -> factory.create(context, effects)), checkpoint, hash);
    }

    /** The process ends; of the writes that were under way some happen, the last of them perhaps in part. */
    void crash(SplittableRandom random) {
        for (int disk = 0; disk < underWay.size(); disk++) {
            lose(disk, random);
        }
        crash();
    }

    private void lose(int disk, SplittableRandom random) {
        for (Request request : underWay.get(disk)) {
            if (!request.isCarriedOut && request.written != null && disks.isAlive(disk)) {
                if (random.nextInt(3) == 0) {
                    disks.tear(disk, request.offset, request.written, random);
                    break;
                }
                disks.write(disk, request.offset, request.written);
            }
        }
        underWay.get(disk).clear();
    }

    /** The state of another server takes the place of this one's. The server is down. */
    void install(DiskNode other) {
        delivered.clear();
        delivered.addAll(other.delivered);
        checkpoint = delivered.size();
    }

    /** The server's own disk is lost. The server is down. */
    void losesState() {
        delivered.clear();
        checkpoint = 0;
    }

    void takeCheckpoint() {
        checkpoint = delivered.size();
        input(p -> p.onCheckpoint(checkpoint));
    }

    /** The next start finds all that was delivered, in files of which the protocol was not told. The server is down. */
    void recoversEverything() {
        checkpoint = delivered.size();
    }

    /** Its application has executed all that was delivered, as it is told from now on; before it was not. */
    void hasExecutedAll() {
        long position = delivered.size();
        input(p -> p.onExecuted(position));
    }

    int checkpointsWanted() {
        return checkpointsWanted;
    }

    String propose() {
        return propose(0);
    }

    /** Proposes a command that has so many bytes at least. */
    String propose(int bytes) {
        String name = id() + "/" + incarnation + "/" + ++sequence;
        byte[] content = Arrays.copyOf(name.getBytes(), Math.max(bytes, name.length()));
        ProposedCommand command = new ProposedCommand(id(), incarnation, 0, sequence, ByteSlice.of(content));
        input(p -> p.onPropose(command));
        return name;
    }

    /** Asks for a linearizable read, which must see so many positions. */
    void read(int atLeast) {
        barriers.put(++token, atLeast);
        input(p -> p.onReadBarrier(token));
    }

    int readsWaiting() {
        return barriers.size();
    }

    List<ByteSlice> deliveredValues() {
        return delivered;
    }

    // ---------------------------------------------------------------- disks

    /** The server cannot reach a disk from now on, or can again. */
    void cutOff(int disk, boolean isCut) {
        cutOff[disk] = isCut;
    }

    /** What this server asks of a disk waits from now on, or happens again, with what has waited first. */
    void hang(int disk, boolean doesHang) {
        hangs[disk] = doesHang;
    }

    /** A disk can only be read by this server from now on, or be written again. */
    void refuseWrites(int disk, boolean doesRefuse) {
        refusesWrites[disk] = doesRefuse;
    }

    @Override
    public void writeBlocks(int disk, long offset, ByteSlice bytes) {
        SharedDisks.check(disk, disks.count(), offset, bytes.length());
        underWay.get(disk).add(new Request(offset, bytes.length(), bytes));
    }

    @Override
    public void wantCheckpoint() {
        checkpointsWanted++;
    }

    @Override
    public void readBlocks(int disk, long offset, int length) {
        SharedDisks.check(disk, disks.count(), offset, length);
        underWay.get(disk).add(new Request(offset, length, null));
    }

    /** The first request that has not been carried out yet is. Returns whether there was one. */
    boolean carryOut(int disk, SplittableRandom random) {
        if (!isReachable(disk) || hangs[disk]) {
            return false;
        }
        for (Request request : underWay.get(disk)) {
            if (!request.isCarriedOut) {
                if (isRefused(disk, request)) {
                    return false;
                }
                request.isCarriedOut = true;
                if (request.written != null) {
                    disks.write(disk, request.offset, request.written);
                } else {
                    request.read = disks.read(disk, request.offset, request.length);
                }
                return true;
            }
        }
        return false;
    }

    private boolean isRefused(int disk, Request request) {
        return refusesWrites[disk] && request.written != null;
    }

    private boolean isReachable(int disk) {
        return disks.isAlive(disk) && !cutOff[disk];
    }

    /** The server hears of the oldest request, if that was carried out, or of the failure. */
    boolean answer(int disk, SplittableRandom random) {
        Request request = underWay.get(disk).peek();
        if (request == null || !isRunning()) {
            return false;
        }
        if (request.isCarriedOut) {
            underWay.get(disk).remove();
            if (request.written != null) {
                input(p -> p.onBlocksWritten(disk, request.offset, request.length));
            } else {
                input(p -> p.onBlocksRead(disk, request.offset, request.read));
            }
            return true;
        } else if (isRefused(disk, request)) {
            underWay.get(disk).clear();
            input(p -> p.onDiskFailed(disk, "it is read-only"));
            return true;
        } else if (!isReachable(disk) && !hangs[disk]) {
            lose(disk, random);
            input(p -> p.onDiskFailed(disk, "it does not answer"));
            return true;
        }
        return false;
    }

    // ---------------------------------------------------------------- what leaves the protocol

    @Override
    protected void transmit(int to, Message message) {
        ensemble.sent(id(), to, message);
    }

    @Override
    protected void delivered(long position, ByteSlice value) {
        delivered.add(value);
        ensemble.delivered(id(), position, value);
    }

    @Override
    protected void released(long which) {
        int atLeast = barriers.remove(which);
        if (delivered.size() < atLeast) {
            throw new AssertionError("stale read at server " + id() + ": " + delivered.size() + " positions, but "
                    + atLeast + " were seen before");
        }
    }
}
