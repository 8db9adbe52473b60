package io.chainkeeper.clienttests.install;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Scripts;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.Test;

/** With ZOO_LOG_FORMAT=json every line that a server of the archive logs is one JSON object. */
public class JsonLogTest extends UnpackedArchive {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Duration LIMIT = Duration.ofSeconds(LIMIT_SECONDS);

    private ProcessBuilder script(String format, String command) {
        ProcessBuilder builder = Scripts.commandOf(root, own, "zkServer.sh", "--config", config.toString(), command);
        builder.environment().put("ZOO_LOG_FORMAT", format);
        builder.environment().put("ZOO_CLASS_ARCHIVE_AUTO", "false");
        return builder;
    }

    private static List<JsonNode> objects(Path log) throws IOException {
        return Files.readAllLines(log).stream()
                .map(line -> {
                    try {
                        return MAPPER.readTree(line);
                    } catch (IOException e) {
                        throw new AssertionError("no JSON: " + line, e);
                    }
                })
                .toList();
    }

    private Path onlyLog() throws IOException {
        try (Stream<Path> logs = Files.list(own.resolve("logs"))) {
            return logs.filter(file -> file.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** What any client can bring about: a line of the log, with what was thrown and no stack trace. */
    private void sendNonsense() throws IOException {
        try (Socket socket = new Socket("127.0.0.1", clientPort)) {
            OutputStream out = socket.getOutputStream();
            out.write("nonsense that is longer than a request may be".getBytes());
            out.flush();
            assertEquals(-1, socket.getInputStream().read());
        }
    }

    @Test
    public void everyLineOfTheLogFile_isAnObject() throws Exception {
        assertSays("Starting zookeeper ... STARTED", Scripts.run(LIMIT_SECONDS, script("json", "start")));
        sendNonsense();
        Path log = onlyLog();
        Await.until("nonsense is logged", LIMIT, () -> Files.readString(log).contains("throwable"));
        Await.until("clients are served", LIMIT, () -> Files.readString(log).contains("serving clients"));
        assertSays("Stopping zookeeper ... STOPPED", Scripts.run(LIMIT_SECONDS, script("json", "stop")));

        List<JsonNode> lines = objects(log);
        assertTrue(lines.toString(), lines.size() > 20);
        assertTrue(
                lines.toString(),
                lines.stream()
                        .anyMatch(line -> line.get("formattedMessage").asText().endsWith("serving clients")));
        JsonNode thrown = lines.stream()
                .filter(line -> line.has("throwable"))
                .findFirst()
                .orElseThrow()
                .get("throwable");
        assertEquals(thrown.toString(), 0, thrown.get("stepArray").size());
        lines.forEach(line -> assertTrue(line.toString(), line.get("timestamp").asLong() > 0));
    }

    @Test
    public void everyLineOfTheConsole_isAnObject() throws Exception {
        Path console = own.resolve("console");
        Process server = script("json", "start-foreground")
                .redirectOutput(console.toFile())
                .redirectError(own.resolve("errors").toFile())
                .start();
        try {
            Await.until(
                    "the server serves", LIMIT, () -> Files.readString(console).contains("serving"));
        } finally {
            server.destroy();
            assertEquals(143, server.waitFor());
        }
        assertTrue(objects(console).size() > 20);
    }

    @Test
    public void unknownFormat_isRefusedInOneLine() throws Exception {
        Scripts.Result result = Scripts.run(LIMIT_SECONDS, script("xml", "start"));
        assertEquals(result.toString(), 1, result.exitCode());
        assertTrue(result.toString(), result.errors().contains("Error: ZOO_LOG_FORMAT=xml: give text or json\n"));
        assertSays("no zookeeper to stop", Scripts.run(LIMIT_SECONDS, script("xml", "stop")));
    }
}
