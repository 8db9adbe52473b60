package io.chainkeeper.simulation.disk;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.shareddisk.SharedDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A disk that several servers share, in memory. Of what a server has written and not forced, each sector is on the disk
 * or not; what is missing when the server crashes may still arrive, as long as that server has not come back. The disk
 * may die, come back as it was or empty, or answer some servers only. Used by one thread.
 */
public final class SimulatedSharedDisk {
    private static final int SECTOR_BYTES = 512;

    private final String name;
    private final long length;
    private final SplittableRandom random;

    /** Only sectors that somebody has written; all others are zeros. */
    private final Map<Long, byte[]> sectors = new HashMap<>();

    /** By server: what it has written and not forced, in order. */
    private final Map<Integer, List<Sector>> unforced = new TreeMap<>();

    private final Set<Integer> cutOff = new TreeSet<>();

    /** Those whose accesses come to no end; only who looks at it at a start gives up. */
    private final Set<Integer> hangsFor = new TreeSet<>();

    private boolean isDead;
    private boolean isGone;

    /** How often it has come back empty, or was unplugged: who had it open before gets no answer. */
    private int lives;

    private record Sector(long number, byte[] bytes) {}

    /**
     * @param name for messages
     * @param length bytes, of whole blocks
     * @param random what of unforced writes arrives
     */
    public SimulatedSharedDisk(String name, long length, SplittableRandom random) {
        this.name = name;
        this.length = length;
        this.random = random;
    }

    /**
     * Opens the disk for a server. Whatever it had under way before it crashed has arrived by then, or never will.
     *
     * @param server replica id
     * @return the disk as this server sees it
     * @throws IOException if it is dead, or does not answer this server
     */
    public SharedDisk open(int server) throws IOException {
        Attachment attachment = new Attachment(server, lives);
        attachment.checkAnswers();
        if (hangsFor.contains(server)) {
            throw new IOException(name + " has not answered for as long as a start waits");
        }
        settle(server);
        return attachment;
    }

    /** Of what crashed servers had under way, some may arrive now. */
    public boolean arriveLate() {
        boolean arrives = false;
        for (List<Sector> sectorsUnderWay : unforced.values()) {
            arrives |= arriveSome(sectorsUnderWay);
        }
        return arrives;
    }

    private boolean arriveSome(List<Sector> sectorsUnderWay) {
        return sectorsUnderWay.removeIf(each -> random.nextBoolean() && store(each));
    }

    private boolean store(Sector sector) {
        sectors.put(sector.number(), sector.bytes());
        return true;
    }

    private void settle(int server) {
        List<Sector> underWay = unforced.getOrDefault(server, List.of());
        underWay.forEach(each -> {
            if (random.nextBoolean()) {
                store(each);
            }
        });
        unforced.remove(server);
    }

    /** Nobody gets an answer any more. What was forced is kept for {@link #revive}. */
    public void die() {
        isDead = true;
    }

    /** Nobody ever gets an answer any more. */
    void dieForGood() {
        isDead = true;
        isGone = true;
    }

    /** It answers again, with what it had, unless it is gone for good. */
    public void revive() {
        isDead = isGone;
    }

    /** Who has it open gets no answer from it any more, and must open it again. It keeps what it holds. */
    public void unplug() {
        lives++;
    }

    /** It answers again and holds nothing. */
    public void replaceByEmpty() {
        sectors.clear();
        unforced.clear();
        lives++;
        isDead = false;
    }

    /**
     * @param server replica id
     * @param answers whether this disk answers it from now on
     */
    public void answer(int server, boolean answers) {
        if (answers) {
            cutOff.remove(server);
        } else {
            cutOff.add(server);
        }
    }

    /**
     * @param server replica id
     * @param hangs whether this disk gives it no answer from now on; nobody asks it for anything then but at a start
     */
    public void hang(int server, boolean hangs) {
        if (hangs) {
            hangsFor.add(server);
        } else {
            hangsFor.remove(server);
        }
    }

    /** It answers every server from now on, unless it is dead. */
    public void answerAll() {
        cutOff.clear();
    }

    /** @return whether it answers anybody */
    public boolean isAlive() {
        return !isDead;
    }

    /**
     * Looks at it from outside.
     *
     * @param offset of the first byte, of a whole sector
     * @param bytes of whole sectors
     * @return what is on stable storage there
     */
    public ByteSlice stable(long offset, int bytes) {
        byte[] read = new byte[bytes];
        for (int at = 0; at < bytes; at += SECTOR_BYTES) {
            byte[] sector = sectors.get((offset + at) / SECTOR_BYTES);
            if (sector != null) {
                System.arraycopy(sector, 0, read, at, SECTOR_BYTES);
            }
        }
        return ByteSlice.of(read);
    }

    @Override
    public String toString() {
        return name;
    }

    /** As one server sees it, from one opening on. */
    private final class Attachment implements SharedDisk {
        private final int server;
        private final int life;
        private boolean isClosed;

        private Attachment(int server, int life) {
            this.server = server;
            this.life = life;
        }

        private void checkAnswers() throws IOException {
            InvariantViolated.check(!isClosed, "%s was closed", name);
            if (isDead || cutOff.contains(server) || life != lives) {
                throw new IOException(name + " does not answer");
            }
        }

        private void checkRange(long offset, int bytes) {
            InvariantViolated.check(
                    offset >= 0
                            && offset % BLOCK_BYTES == 0
                            && bytes > 0
                            && bytes % BLOCK_BYTES == 0
                            && offset + bytes <= length,
                    "%d bytes from byte %d are no blocks of %s",
                    bytes,
                    offset,
                    name);
        }

        @Override
        public void write(long offset, ByteSlice bytes) throws IOException {
            checkRange(offset, bytes.length());
            checkAnswers();
            List<Sector> mine = unforced.computeIfAbsent(server, any -> new ArrayList<>());
            for (int at = 0; at < bytes.length(); at += SECTOR_BYTES) {
                mine.add(new Sector(
                        (offset + at) / SECTOR_BYTES,
                        bytes.slice(at, SECTOR_BYTES).toByteArray()));
            }
            arriveSome(mine);
        }

        @Override
        public void force() throws IOException {
            checkAnswers();
            unforced.getOrDefault(server, List.of()).forEach(SimulatedSharedDisk.this::store);
            unforced.remove(server);
        }

        @Override
        public ByteSlice read(long offset, int bytes) throws IOException {
            checkRange(offset, bytes);
            checkAnswers();
            return stable(offset, bytes);
        }

        @Override
        public long length() throws IOException {
            checkAnswers();
            return length;
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }
}
