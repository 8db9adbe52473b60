package io.chainkeeper.server.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.transport.StateChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * What the other members say about themselves ({@link MemberReport}). They are asked over connections for bulk
 * requests, which prove who they are as links do, each by a thread of its own, and only while somebody looks. Safe for
 * use by any thread.
 */
final class MemberReports implements AutoCloseable {
    /** A member that has answered is not asked again for so long. */
    static final long FRESH_MILLIS = 900;

    /** A look waits for members that are being asked, but for each of them no longer than this. */
    static final long WAIT_MILLIS = 400;

    /** The connection to a member is closed when nobody has looked for so long. */
    static final long UNSEEN_MILLIS = 10_000;

    /** As many members are asked at most; leaves connections for what the order itself has to ask. */
    static final int MOST_MEMBERS = 24;

    /** A member's load is asked for while somebody has looked at it since, and not again for so long. */
    static final long LOAD_MILLIS = 4_000;

    private static final int MAX_REPORT_BYTES = 64 << 10;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /**
     * What is known of a member.
     *
     * @param id replica id
     * @param report what it said last, null if it has said nothing
     * @param ageMillis how long ago that was
     * @param silentMillis for how long it has been asked in vain
     * @param trouble why it could not be asked the last time, one line; null if it could
     */
    record Heard(int id, JsonNode report, long ageMillis, long silentMillis, String trouble) {}

    private enum State {
        /** Nobody asks. */
        IDLE,
        /** Its thread waits for its answer. */
        ASKED,
        /** Its thread waits for the next look. */
        ANSWERED
    }

    /** Guarded by the lock of the reports. */
    private static final class Member {
        private final int id;
        private State state = State.IDLE;
        private boolean wasAsked;
        private long askedMillis;
        private boolean isSilent;
        private long silentSinceMillis;
        private JsonNode report;
        private long answeredMillis;
        private boolean isLoadWanted;
        private JsonNode load;
        private long loadMillis;
        private String trouble;

        Member(int id) {
            this.id = id;
        }
    }

    private final MemberConnector connector;
    private final LongSupplier clockMillis;
    private final ThreadPoolExecutor threads;
    private final Map<Integer, Member> members = new TreeMap<>();
    private boolean closed;

    /**
     * @param replicaId for the names of the threads
     * @param connector opens connections
     * @param clockMillis a monotonic clock
     */
    MemberReports(int replicaId, MemberConnector connector, LongSupplier clockMillis) {
        this.connector = connector;
        this.clockMillis = clockMillis;
        this.threads = new ThreadPoolExecutor(
                0, MOST_MEMBERS, UNSEEN_MILLIS, TimeUnit.MILLISECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(task, "member-report-" + replicaId);
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /**
     * Asks those that have not been asked lately, and waits a moment for their answers.
     *
     * @param ids the other members
     * @return what is known of each of them, in the order of ids
     * @throws InterruptedException if the waiting thread is interrupted
     */
    synchronized List<Heard> look(Collection<Integer> ids) throws InterruptedException {
        long began = clockMillis.getAsLong();
        members.keySet().retainAll(ids);
        for (int id : ids) {
            if (members.size() < MOST_MEMBERS || members.containsKey(id)) {
                ask(members.computeIfAbsent(id, Member::new), began);
            }
        }
        long left = waitMillis();
        while (left > 0) {
            wait(left);
            left = waitMillis();
        }
        List<Heard> heard = new ArrayList<>();
        ids.stream().sorted().forEach(id -> heard.add(heard(id)));
        return heard;
    }

    /**
     * What the load of a member was lately. It is asked for with the next {@link #look} at the members.
     *
     * @param id a member
     * @return as it said the last time, null if that was too long ago
     */
    synchronized JsonNode load(int id) {
        Member member = members.get(id);
        if (member == null) {
            return null;
        }
        member.isLoadWanted = true;
        boolean isOld = member.load == null || clockMillis.getAsLong() - member.loadMillis > UNSEEN_MILLIS;
        return isOld ? null : member.load;
    }

    private void ask(Member member, long now) {
        long agoMillis = now - member.askedMillis;
        if (closed || member.state == State.ASKED || member.wasAsked && agoMillis < FRESH_MILLIS) {
            return;
        }
        if (!member.isSilent || agoMillis > UNSEEN_MILLIS) {
            // Nobody knows whether it would have answered while nobody looked.
            member.isSilent = true;
            member.silentSinceMillis = now;
        }
        boolean isRunning = member.state == State.ANSWERED;
        member.state = State.ASKED;
        member.wasAsked = true;
        member.askedMillis = now;
        if (isRunning) {
            notifyAll();
            return;
        }
        try {
            threads.execute(() -> converse(member));
        } catch (RejectedExecutionException e) {
            ended(member, "members that have left are still being asked");
        }
    }

    /** How long a look has still to wait: 0 when there is nobody whose answer may come within its time. */
    private long waitMillis() {
        long now = clockMillis.getAsLong();
        return members.values().stream()
                .filter(member -> member.state == State.ASKED && !closed)
                .mapToLong(member -> WAIT_MILLIS - (now - member.askedMillis))
                .max()
                .orElse(0);
    }

    private Heard heard(int id) {
        Member member = members.get(id);
        if (member == null) {
            return new Heard(id, null, 0, 0, "no more than " + MOST_MEMBERS + " members are asked");
        }
        long now = clockMillis.getAsLong();
        return new Heard(
                id,
                member.report,
                member.report == null ? 0 : now - member.answeredMillis,
                member.isSilent ? now - member.silentSinceMillis : 0,
                member.trouble);
    }

    /** A thread of the member's own. */
    private void converse(Member member) {
        String trouble = null;
        try (StateChannel channel = connector.open(member.id)) {
            do {
                answered(member, channel.call(MemberReport.Wanted.REPORT.question()));
                if (isLoadWanted(member)) {
                    loaded(member, channel.call(MemberReport.Wanted.LOAD.question()));
                }
            } while (isAskedAgain(member));
        } catch (IOException e) {
            trouble = e.getMessage();
        } finally {
            ended(member, trouble);
        }
    }

    private static JsonNode decoded(ByteSlice answer, int mostBytes) throws IOException {
        if (answer.length() > mostBytes) {
            throw new IOException("it answered " + answer.length() + " bytes, at most " + mostBytes
                    + " are taken: run the same release on all servers");
        }
        JsonNode report = MAPPER.readTree(answer.array(), answer.offset(), answer.length());
        if (!report.isObject()) {
            throw new IOException("what it answered is no report: run the same release on all servers");
        }
        return report;
    }

    private synchronized boolean isLoadWanted(Member member) {
        boolean isOld = member.load == null || clockMillis.getAsLong() - member.loadMillis >= LOAD_MILLIS;
        return member.isLoadWanted && isOld;
    }

    private void loaded(Member member, ByteSlice answer) throws IOException {
        JsonNode load = decoded(answer, StateChannel.MAX_ANSWER_BYTES);
        synchronized (this) {
            member.load = load;
            member.loadMillis = clockMillis.getAsLong();
            member.isLoadWanted = false;
        }
    }

    private void answered(Member member, ByteSlice answer) throws IOException {
        JsonNode report = decoded(answer, MAX_REPORT_BYTES);
        synchronized (this) {
            member.report = report;
            member.answeredMillis = clockMillis.getAsLong();
            member.isSilent = false;
            member.trouble = null;
            member.state = State.ANSWERED;
            notifyAll();
        }
    }

    private synchronized boolean isAskedAgain(Member member) {
        long deadline = clockMillis.getAsLong() + UNSEEN_MILLIS;
        try {
            while (member.state == State.ANSWERED && !closed) {
                long left = deadline - clockMillis.getAsLong();
                if (left <= 0) {
                    return false;
                }
                wait(left);
            }
            return !closed;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private synchronized void ended(Member member, String trouble) {
        member.state = State.IDLE;
        member.trouble = trouble;
        notifyAll();
    }

    /** Asks nobody any more. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        threads.shutdownNow();
    }
}
