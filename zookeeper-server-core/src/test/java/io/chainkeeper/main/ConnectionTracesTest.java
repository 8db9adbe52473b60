package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.io.IOException;
import org.junit.Test;

public class ConnectionTracesTest {
    private static String text(String logger, Throwable thrown) {
        LoggerContext context = new LoggerContext();
        ConnectionTraces traces = new ConnectionTraces();
        traces.start();
        LoggingEvent event =
                new LoggingEvent("", context.getLogger(logger), Level.WARN, "message", thrown, new Object[0]);
        return traces.convert(event);
    }

    @Test
    public void exceptionOfAConnection_isPartOfTheLine() {
        String logger = "org.apache.zookeeper.server.NettyServerCnxn";
        assertEquals(" (java.io.IOException: Len   error)", text(logger, new IOException("Len \r\n error")));
        assertEquals(" (java.io.IOException)", text(logger, new IOException()));
    }

    @Test
    public void exceptionOfAnythingElse_hasItsStackTraceBelow() {
        String text = text("io.chainkeeper.server.Anything", new IOException("disk"));
        String separator = System.lineSeparator();
        assertTrue(text, text.startsWith(separator + "java.io.IOException: disk" + separator + "\tat "));
        assertEquals(text.stripTrailing(), text);
    }

    @Test
    public void nothingThrown_nothingIsAdded() {
        assertEquals("", text("io.chainkeeper.server.Anything", null));
    }
}
