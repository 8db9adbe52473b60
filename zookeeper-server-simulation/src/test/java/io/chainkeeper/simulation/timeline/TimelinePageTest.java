package io.chainkeeper.simulation.timeline;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import io.chainkeeper.simulation.Attempt;
import io.chainkeeper.simulation.Protocols;
import io.chainkeeper.simulation.Script;
import io.chainkeeper.simulation.Simulation;
import io.chainkeeper.simulation.swarm.SimulatedApplication;
import io.chainkeeper.simulation.time.EventQueue;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The page of a timeline in a real browser. Skipped where none is installed. */
public class TimelinePageTest {
    private static final int MOST = 3_000;
    private static final long WINDOW_MICROS = 20_000;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private HeadlessBrowser browser;

    @Before
    public void start() throws Exception {
        assumeTrue(
                "no Chromium or Chrome is installed: the page of a timeline is not tested",
                HeadlessBrowser.installed().isPresent());
        browser = HeadlessBrowser.start(
                HeadlessBrowser.installed().get(), folder.newFolder("profile").toPath());
    }

    @After
    public void stop() throws Exception {
        if (browser != null) {
            browser.close();
        }
    }

    private Timeline run(SimulatedApplication application, long seed) throws Exception {
        Timeline[] drawn = new Timeline[1];
        Script script = Script.of(Protocols.named("chain"), application, seed);
        Attempt attempt = Simulation.attempt(script, clock -> drawn[0] = new Timeline(clock));
        assertTrue(String.valueOf(attempt.failure()), !attempt.hasFailed());
        drawn[0].finish();
        open(drawn[0], script.command());
        return drawn[0];
    }

    private void open(Timeline timeline, String command) throws Exception {
        Path json = folder.getRoot().toPath().resolve("run.json");
        Path page = TimelineFiles.write(timeline, new TimelineFiles.Heading("a run", command, ""), json);
        browser.open(page.toUri());
    }

    private int count(String selector) throws Exception {
        return (int) browser.number("document.querySelectorAll('" + selector + "').length");
    }

    /** A window of time around a message that was received, in the middle of what messages there are. */
    private static long busyMicros(Timeline timeline) {
        List<Timeline.Sent> messages = timeline.messages();
        return messages.get(messages.size() / 2).micros;
    }

    private static long arrowsIn(Timeline timeline, long from, long to) {
        return timeline.messages().stream()
                .filter(sent -> sent.micros <= to && Math.max(sent.micros, sent.receivedMicros) >= from)
                .count();
    }

    @Test
    public void everything_isDrawnWhereItHappened() throws Exception {
        Timeline timeline = run(SimulatedApplication.REGISTERS, 3);
        assertEquals(timeline.lanes().size(), count(".lane"));
        assertTrue("received", timeline.messages().stream().anyMatch(sent -> sent.receivedMicros >= sent.micros));
        for (Timeline.Kind kind : Timeline.Kind.values()) {
            boolean isThere = timeline.marks().stream().anyMatch(mark -> mark.kind() == kind);
            assertTrue("no mark of kind " + kind, isThere || kind == Timeline.Kind.FAULT);
        }
        long from = busyMicros(timeline);
        browser.evaluate("look(" + from + "," + (from + WINDOW_MICROS) + ")");
        assertEquals(arrowsIn(timeline, from, from + WINDOW_MICROS), count(".arrow"));
        long marks = timeline.marks().stream()
                .filter(mark -> mark.micros() >= from && mark.micros() <= from + WINDOW_MICROS)
                .count();
        assertEquals(marks, count(".mark"));
        assertTrue("forces", timeline.spans().stream().anyMatch(span -> span.what() == Timeline.Lasting.FORCE));
        assertTrue("spans in view", count(".span") > 0);
    }

    @Test
    public void filters_leaveWhatTheyAskFor() throws Exception {
        Timeline timeline = run(SimulatedApplication.REGISTERS, 3);
        long position = timeline.marks().stream()
                .filter(mark -> mark.kind() == Timeline.Kind.DECISION)
                .mapToLong(Timeline.Mark::position)
                .max()
                .getAsLong();
        browser.evaluate("document.getElementById('position').value = '" + position
                + "', document.getElementById('position').dispatchEvent(new Event('input'))");
        Set<Timeline.Kind> context = Set.of(Timeline.Kind.FAULT, Timeline.Kind.LIFE);
        long about = timeline.marks().stream()
                .filter(mark -> context.contains(mark.kind()) || mark.position() == position)
                .count();
        assertEquals(about, count(".mark"));
        long sent = timeline.messages().stream()
                .filter(message -> Mentions.position(message.words) == position)
                .count();
        assertTrue("messages about position " + position, sent > 0);
        assertEquals(sent, count(".arrow"));
        browser.evaluate("document.getElementById('position').value = '',"
                + " document.getElementById('session').value = '0',"
                + " document.getElementById('session').dispatchEvent(new Event('change'))");
        String session = browser.evaluate("run.sessions[0]");
        long ofSession = timeline.marks().stream()
                .filter(mark -> session.equals(mark.session()))
                .count();
        TreeSet<Long> positions = new TreeSet<>();
        timeline.marks().stream()
                .filter(mark -> session.equals(mark.session()) && mark.position() > 0)
                .forEach(mark -> positions.add(mark.position()));
        assertTrue("answers of session " + session, !positions.isEmpty());
        long wanted = timeline.marks().stream()
                .filter(mark -> context.contains(mark.kind())
                        || session.equals(mark.session())
                        || positions.contains(mark.position()))
                .count();
        assertEquals(String.valueOf(wanted), browser.evaluate("shown.marks.length"));
        assertTrue(ofSession > 0 && wanted > ofSession);
    }

    @Test
    public void mouse_zoomsAndMoves() throws Exception {
        run(SimulatedApplication.ZNODES, 2);
        double widthBefore = browser.number("view.to - view.from");
        double pointed = browser.number("timeOf(700 - picture.getBoundingClientRect().left)");
        browser.mouse("mouseWheel", 700, 300, ",\"deltaX\":0,\"deltaY\":-120");
        double width = browser.number("view.to - view.from");
        assertTrue(width + " of " + widthBefore, width < widthBefore);
        double stays = browser.number("timeOf(700 - picture.getBoundingClientRect().left)");
        assertEquals(pointed, stays, widthBefore / 1000);
        double from = browser.number("view.from");
        browser.mouse("mousePressed", 700, 300, ",\"button\":\"left\",\"buttons\":1,\"clickCount\":1");
        browser.mouse("mouseMoved", 500, 300, ",\"button\":\"left\",\"buttons\":1");
        browser.mouse("mouseReleased", 500, 300, ",\"button\":\"left\",\"clickCount\":1");
        assertTrue(browser.number("view.from") > from);
    }

    /** What is not in view costs nothing, and what is too much is drawn as how much it is. */
    @Test
    public void manyEvents_onlyWhatIsInViewIsDrawn() throws Exception {
        EventQueue clock = new EventQueue();
        Timeline timeline = new Timeline(clock);
        int events = 50_000;
        for (int i = 0; i < events; i++) {
            int number = i;
            clock.after(10L * i, () -> {
                timeline.happened(1 + number % 3, "sends to", 1 + (number + 1) % 3, "Accept(i=" + number + ")");
                timeline.happened(1 + number % 3, "executes", number, null);
                timeline.happened(1 + (number + 1) % 3, "receives from", 1 + number % 3, "Accept(i=" + number + ")");
            });
        }
        while (clock.step()) {
            // Each event is noted.
        }
        timeline.finish();
        open(timeline, "none");
        assertEquals(events, (int) browser.number("run.messages.length"));
        assertEquals("true", browser.evaluate("document.body.dataset.dense"));
        assertTrue(count("#picture *") < MOST);
        browser.evaluate("look(250000, 251000)");
        assertEquals("false", browser.evaluate("document.body.dataset.dense"));
        assertEquals(101, count(".arrow"));
        assertEquals(101, count(".mark"));
    }
}
