package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.After;
import org.junit.Test;

public class TraceCommandTest {
    private static final String COMMAND = "\"command\":\"2.77/0#1000\",\"proposer\":2,\"position\":9,";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final List<HttpServer> servers = new ArrayList<>();
    private final List<String> questions = new ArrayList<>();

    private int run(String... args) {
        return new TraceCommand(new PrintStream(out, true), new PrintStream(err, true)).run(args);
    }

    private String server(int status, String body) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/commands/traces", exchange -> {
            questions.add(exchange.getRequestURI().getQuery());
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        servers.add(server);
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    private static String answer(int server, String traces) {
        return "{\"command\":\"traces\",\"error\":null,\"server_id\":" + server + ",\"trace_every\":1000,\"traces\":["
                + traces + "]}";
    }

    private static String trace(String name, String stages) {
        return "{" + name + "\"session_id\":\"0x1\",\"cxid\":3,\"op\":\"setData\",\"path\":\"/a\",\"zxid\":\"0x5\","
                + "\"stages_micros\":{" + stages + "}}";
    }

    @After
    public void stop() {
        servers.forEach(server -> server.stop(0));
    }

    @Test
    public void wrongCommandLine_isRefusedWithTheUsage() {
        for (String[] wrong : new String[][] {
            {"a:1", "--limit", "none"}, {"a:1", "--session", "7"}, {"a:1", "--watch"}, {"a:1", "--loud"}, {}
        }) {
            err.reset();
            assertEquals(2, run(wrong));
            assertTrue(err.toString(), err.toString().startsWith("Usage: zkServer.sh trace"));
        }
    }

    @Test
    public void traces_areJoinedByTheNameOfTheCommand() throws Exception {
        String first = server(200, answer(1, trace(COMMAND, "\"accepted\":5600,\"durable\":7000")));
        String write = trace(COMMAND, "\"received\":5000,\"answered\":9250");
        String second = server(200, answer(2, write + "," + trace("", "\"received\":1000")));
        String third = server(200, answer(3, ""));
        assertEquals(0, run(first + "," + second + "," + third));
        assertEquals(
                List.of(
                        "setData /a  session 0x1  zxid 0x5",
                        "  server 2: received 0.000 ms",
                        "setData /a  session 0x1  zxid 0x5  position 9  command 2.77/0#1000",
                        "  server 1: accepted 0.600, durable 2.000 ms",
                        "  server 2: received 0.000, answered 4.250 ms",
                        "  server 3: no trace"),
                out.toString().lines().toList());
    }

    @Test
    public void sessionIsWatched_allServersAreTold() throws Exception {
        String first = server(200, answer(1, ""));
        assertEquals(0, run("nowhere:1", "--connect", first, "--session", "0x1f", "--watch"));
        assertEquals(List.of("limit=1024&session=0x1f&watch=true"), questions);
        assertTrue(out.toString(), out.toString().contains("1 servers trace all requests of session 0x1f"));
    }

    @Test
    public void nobodyAnswers_isSaidInOneLineForEach() throws Exception {
        String refusing = server(400, "{\"command\":\"traces\",\"error\":\"too many sessions\"}");
        assertEquals(1, run("127.0.0.1:1," + refusing));
        List<String> lines = err.toString().lines().toList();
        assertEquals(err.toString(), 2, lines.size());
        assertTrue(lines.get(0), lines.get(0).startsWith("Error: the AdminServer at 127.0.0.1:1 gives no traces ("));
        assertTrue(lines.get(1), lines.get(1).contains("(too many sessions)"));
    }

    /** What any other web server says, or the AdminServer where its commands are below another path. */
    @Test
    public void answerThatIsNoJson_isSaidInOneLine() throws Exception {
        String other = server(404, "<html>\n<body>Not Found</body>\n</html>\n");
        assertEquals(1, run(other));
        List<String> lines = err.toString().lines().toList();
        assertEquals(err.toString(), 1, lines.size());
        assertTrue(lines.get(0), lines.get(0).contains("(HTTP status 404, and no answer with traces)"));
        assertTrue(lines.get(0), lines.get(0).contains("admin.commandURL"));
    }

    @Test
    public void pathBehindTheAddress_isThatOfTheCommands() throws Exception {
        String plain = server(200, answer(1, ""));
        servers.get(0).createContext("/keeper/traces", exchange -> {
            questions.add(exchange.getRequestURI().toString());
            byte[] bytes = answer(1, "").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        assertEquals(0, run(plain + "/keeper"));
        assertEquals(List.of("/keeper/traces?limit=1024"), questions);
    }
}
