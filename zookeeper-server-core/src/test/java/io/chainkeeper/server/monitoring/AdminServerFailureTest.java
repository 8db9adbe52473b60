package io.chainkeeper.server.monitoring;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.net.BindException;
import org.apache.zookeeper.server.admin.AdminServer.AdminServerException;
import org.junit.Test;
import org.slf4j.LoggerFactory;

public class AdminServerFailureTest {
    @Test
    public void portIsTakenAtTheLastMoment_logSaysItInOneLine() {
        Logger logger = (Logger) LoggerFactory.getLogger(Monitoring.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            Monitoring.warnNotStarted(
                    new AdminServerException("Problem starting AdminServer on port 8080", new BindException("in use")));
        } finally {
            logger.detachAppender(lines);
        }
        assertEquals(1, lines.list.size());
        assertNull(lines.list.get(0).getThrowableProxy());
        assertEquals(
                "This server runs without its AdminServer: Problem starting AdminServer on port 8080:"
                        + " java.net.BindException: in use",
                lines.list.get(0).getFormattedMessage());
    }
}
