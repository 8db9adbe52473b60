package io.chainkeeper.server.admin;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.transport.StateChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.After;
import org.junit.Test;

/** What members say when they are asked, and what is said of those who say nothing. */
public class MemberReportsTest {
    private static final long PATIENCE_SECONDS = 30;

    private final AtomicLong nowMillis = new AtomicLong(5_000);
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private final Map<Integer, String> answers = new ConcurrentHashMap<>();
    private final BlockingQueue<Integer> closed = new LinkedBlockingQueue<>();
    private final MemberReports reports = new MemberReports(1, this::open, nowMillis::get);

    private StateChannel open(int member) throws IOException {
        if (!answers.containsKey(member)) {
            throw new IOException("no bulk connection to replica " + member);
        }
        opened.incrementAndGet();
        return new StateChannel() {
            @Override
            public ByteSlice call(ByteSlice request) throws IOException {
                asked.incrementAndGet();
                boolean isLoad = request.equals(MemberReport.Wanted.LOAD.question());
                String answer = isLoad ? "{\"load\":" + asked.get() + "}" : answers.get(member);
                if (answer == null) {
                    throw new IOException("closed by the other side");
                }
                return ByteSlice.of(answer.getBytes(StandardCharsets.UTF_8));
            }

            @Override
            public void close() {
                closed.add(member);
            }
        };
    }

    @After
    public void close() {
        reports.close();
    }

    /** Looks until there is an answer or a reason: on a busy machine a look may end before the thread begins. */
    private MemberReports.Heard look(int member) throws InterruptedException {
        MemberReports.Heard heard = reports.look(List.of(member)).get(0);
        while (heard.trouble() == null && (heard.report() == null || heard.silentMillis() > 0)) {
            heard = reports.look(List.of(member)).get(0);
        }
        return heard;
    }

    @Test
    public void members_areAskedOverOneConnectionAndNotTooOften() throws Exception {
        answers.put(2, "{\"state\":\"leader\"}");
        assertEquals("leader", look(2).report().get("state").asText());
        assertEquals(0, look(2).silentMillis());
        assertEquals("not asked again at once", 1, asked.get());
        answers.put(2, "{\"state\":\"follower\"}");
        nowMillis.addAndGet(MemberReports.FRESH_MILLIS);
        while (!"follower".equals(look(2).report().get("state").asText())) {
            assertNull(look(2).trouble());
        }
        assertEquals(2, asked.get());
        assertEquals(1, opened.get());
    }

    @Test
    public void silentMember_isSaidToBeSilentSinceItWasAskedInVain() throws Exception {
        answers.put(2, "{\"state\":\"leader\"}");
        look(2);
        answers.remove(2);
        nowMillis.addAndGet(MemberReports.FRESH_MILLIS);
        MemberReports.Heard lost = look(2);
        assertEquals("closed by the other side", lost.trouble());
        for (int i = 1; i <= 5; i++) {
            nowMillis.addAndGet(MemberReports.FRESH_MILLIS);
            lost = look(2);
            assertEquals(i * MemberReports.FRESH_MILLIS, lost.silentMillis());
        }
        assertEquals(6 * MemberReports.FRESH_MILLIS, lost.ageMillis());
        assertEquals("leader", lost.report().get("state").asText());
        answers.put(2, "{\"state\":\"follower\"}");
        nowMillis.addAndGet(MemberReports.FRESH_MILLIS);
        while (!"follower".equals(look(2).report().get("state").asText())) {
            nowMillis.addAndGet(MemberReports.FRESH_MILLIS);
        }
        assertEquals(0, look(2).silentMillis());
    }

    @Test
    public void nobodyLooked_theTimeDoesNotCountAsSilence() throws Exception {
        look(3);
        nowMillis.addAndGet(10 * MemberReports.UNSEEN_MILLIS);
        assertEquals(0, look(3).silentMillis());
    }

    @Test
    public void answersThatAreNoReports_areNotShown() throws Exception {
        int member = 1;
        for (String answer : List.of("", "[1]", "{\"a\":", "\"" + "x".repeat(70_000) + "\"")) {
            answers.put(++member, answer);
            MemberReports.Heard heard = look(member);
            assertNull(heard.report());
            assertTrue(answer, !heard.trouble().isEmpty());
            assertEquals(
                    "the connection is given up",
                    member,
                    closed.poll(PATIENCE_SECONDS, TimeUnit.SECONDS).intValue());
        }
    }

    @Test
    public void load_isAskedForWhenSomebodyWantsIt() throws Exception {
        answers.put(2, "{}");
        assertNull(reports.load(2));
        look(2);
        assertEquals(1, asked.get());
        for (int asks = 3; asks <= 5; asks += 2) {
            JsonNode load = reports.load(2);
            while (load == null || load.get("load").asInt() < asks) {
                nowMillis.addAndGet(MemberReports.LOAD_MILLIS);
                look(2);
                load = reports.load(2);
            }
            assertTrue(load.toString(), load.get("load").asInt() <= 2 * asked.get());
        }
        nowMillis.addAndGet(2 * MemberReports.UNSEEN_MILLIS);
        assertNull("too old", reports.load(2));
        assertNull("nobody", reports.load(3));
    }

    @Test
    public void moreMembersThanAreAsked_theOthersSaySo() throws Exception {
        List<Integer> many =
                IntStream.rangeClosed(2, MemberReports.MOST_MEMBERS + 3).boxed().toList();
        List<MemberReports.Heard> heard = reports.look(many);
        assertEquals(many, heard.stream().map(MemberReports.Heard::id).toList());
        String last = heard.get(many.size() - 1).trouble();
        assertEquals("no more than " + MemberReports.MOST_MEMBERS + " members are asked", last);
    }

    @Test
    public void close_closesTheConnections() throws Exception {
        answers.put(2, "{}");
        look(2);
        reports.close();
        assertEquals(2, closed.poll(PATIENCE_SECONDS, TimeUnit.SECONDS).intValue());
    }
}
