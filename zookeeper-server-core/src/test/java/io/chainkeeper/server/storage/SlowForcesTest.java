package io.chainkeeper.server.storage;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.slf4j.LoggerFactory;

public class SlowForcesTest {
    private final SlowForces forces = new SlowForces(() -> 100);
    private final Logger logger = (Logger) LoggerFactory.getLogger(SlowForces.class);
    private final ListAppender<ILoggingEvent> reports = new ListAppender<>();

    @Before
    public void listen() {
        reports.start();
        logger.addAppender(reports);
    }

    @After
    public void listenNoMore() {
        logger.detachAppender(reports);
    }

    private static long nanos(int millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Test
    public void forceWithinTheThreshold_isNotCounted() {
        forces.acceptorLog(() -> "/log/ordering/1.log", 4_096, nanos(100));
        assertEquals(0, forces.count());
        assertEquals(0, reports.list.size());
    }

    @Test
    public void forceThatTakesLonger_isReportedWithFileTimeAndBytes() {
        forces.acceptorLog(() -> "/log/ordering/1.log", 4_096, nanos(101));
        String report = reports.list.get(0).getFormattedMessage();
        String begin = "Forcing /log/ordering/1.log to disk took 101 ms for 4096 bytes (fsync.warningthresholdms=100).";
        assertTrue(report, report.startsWith(begin));
        assertTrue(report, report.contains("Writes wait for it"));
        assertEquals(1, forces.gauges().get("slow_forces").getAsLong());
    }

    @Test
    public void manySlowForces_areAllCountedAndReportedOncePerLog() {
        for (int i = 0; i < 50; i++) {
            forces.acceptorLog(() -> "/log/ordering/1.log", 1, nanos(200));
            forces.transactionLog(() -> "/log/version-2/log.1", 1, nanos(200));
        }
        assertEquals(100, forces.count());
        assertEquals(2, reports.list.size());
    }
}
