package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.Test;

public class JsonLinesTest {
    private static final String CONNECTION = "org.apache.zookeeper.server.NettyServerCnxn";

    private static JsonNode line(String logger, String message, Throwable thrown) throws IOException {
        LoggerContext context = new LoggerContext();
        LoggingEvent event =
                new LoggingEvent("", context.getLogger(logger), Level.WARN, message, thrown, new Object[] {"argument"});
        event.setMDCPropertyMap(Map.of("myid", "3"));
        JsonLines lines = new JsonLines();
        lines.start();
        String text = new String(lines.encode(event), StandardCharsets.UTF_8);
        assertEquals(text, text.length() - 1, text.indexOf('\n'));
        return new ObjectMapper().readTree(text);
    }

    @Test
    public void anyMessage_isOneObjectInOneLine() throws IOException {
        StringBuilder all = new StringBuilder("{} \"quoted\" \\ \u00fc \u2028 \ud83d\ude00 ");
        for (char c = 0; c < 0x20; c++) {
            all.append(c);
        }
        JsonNode line = line("io.chainkeeper.Anything", all.toString(), null);
        assertEquals(
                all.toString().replace("{}", "argument"),
                line.get("formattedMessage").asText());
        assertEquals("WARN", line.get("level").asText());
        assertEquals("io.chainkeeper.Anything", line.get("loggerName").asText());
        assertEquals("3", line.get("mdc").get("myid").asText());
        assertTrue(line.get("timestamp").isIntegralNumber());
        assertTrue(line.get("threadName").isTextual());
    }

    @Test
    public void thrown_isInsideWithItsStackTraceAndCause() throws IOException {
        Throwable cause = new IllegalStateException("why\nnot");
        IOException thrown = new IOException("disk", cause);
        thrown.addSuppressed(new IOException("while closing"));
        JsonNode throwable = line("io.chainkeeper.Anything", "m", thrown).get("throwable");
        assertEquals("java.io.IOException", throwable.get("className").asText());
        assertEquals("disk", throwable.get("message").asText());
        assertTrue(throwable.toString(), throwable.get("stepArray").size() > 1);
        assertEquals("why\nnot", throwable.get("cause").get("message").asText());
        assertEquals(
                "while closing",
                throwable.get("suppressed").get(0).get("message").asText());
    }

    @Test
    public void thrownByAConnection_hasNoStackTrace() throws IOException {
        JsonNode throwable = line(CONNECTION, "m", new IOException("Len error", new IOException("cause")))
                .get("throwable");
        assertEquals("Len error", throwable.get("message").asText());
        assertEquals(0, throwable.get("stepArray").size());
    }
}
