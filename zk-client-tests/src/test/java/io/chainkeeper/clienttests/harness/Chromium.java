package io.chainkeeper.clienttests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A headless Chromium with one page, driven by its DevTools protocol. Reaches nothing but what the test opens. Not for
 * use by several threads.
 */
public final class Chromium implements AutoCloseable {
    /** System property: the program to use. */
    public static final String PROGRAM_PROPERTY = "chromium";

    private static final List<String> PROGRAMS = List.of("chromium", "chromium-browser", "google-chrome");
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final long ANSWER_LIMIT_SECONDS = 30;
    private static final long END_LIMIT_SECONDS = 10;
    private static final int HEIGHT = 1_000;
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Set<ProcessHandle> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> RUNNING.forEach(ProcessHandle::destroyForcibly), "kill-browsers"));
    }

    private final Path profile;
    private final Process process;
    private final WebSocket socket;
    private final Map<Integer, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
    private final AtomicInteger lastId = new AtomicInteger();

    private Chromium(Path profile, Process process, URI page) {
        this.profile = profile;
        this.process = process;
        this.socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(page, new Answers())
                .join();
    }

    /** Returns the browser of this machine, if it has one. */
    public static Optional<Path> find() {
        String chosen = System.getProperty(PROGRAM_PROPERTY);
        if (chosen != null) {
            return Optional.of(Path.of(chosen));
        }
        for (String directory : System.getenv("PATH").split(":")) {
            for (String program : PROGRAMS) {
                Path file = Path.of(directory, program);
                if (Files.isExecutable(file)) {
                    return Optional.of(file);
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Starts a browser with an empty page.
     *
     * @param program from {@link #find}
     * @param profile its directory; deleted by {@link #close}
     */
    public static Chromium start(Path program, Path profile) throws Exception {
        Files.createDirectories(profile);
        // Everything runs as one user in containers, where the sandbox cannot be set up; the page is our own.
        Process process = new ProcessBuilder(
                        program.toString(),
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--no-first-run",
                        "--no-proxy-server",
                        "--window-size=1100,1000",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectErrorStream(true)
                .redirectOutput(profile.resolve("browser.out").toFile())
                .start();
        RUNNING.add(process.toHandle());
        try {
            return new Chromium(profile, process, page(process, profile));
        } catch (Exception | AssertionError e) {
            process.destroyForcibly();
            throw e;
        }
    }

    private static URI page(Process process, Path profile) throws Exception {
        Path portFile = profile.resolve("DevToolsActivePort");
        Await.until("the browser opens its DevTools port", START_LIMIT, () -> {
            if (!process.isAlive()) {
                throw new AssertionError("the browser ended: " + Files.readString(profile.resolve("browser.out")));
            }
            return Files.exists(portFile) && Files.readAllLines(portFile).size() > 1;
        });
        URI list = URI.create("http://127.0.0.1:" + Files.readAllLines(portFile).get(0) + "/json/list");
        String[] page = new String[1];
        Await.until("the browser has a page", START_LIMIT, () -> {
            for (JsonNode target : MAPPER.readTree(HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(list).build(), BodyHandlers.ofString())
                    .body())) {
                if (target.path("type").asText().equals("page")) {
                    page[0] = target.get("webSocketDebuggerUrl").asText();
                }
            }
            return page[0] != null;
        });
        return URI.create(page[0]);
    }

    /** Opens a page; does not wait until it is loaded. */
    public void open(URI address) throws Exception {
        call("Page.navigate", MAPPER.createObjectNode().put("url", address.toString()));
    }

    /**
     * Runs JavaScript in the page.
     *
     * @param expression what is asked for
     * @return its value, as text
     * @throws AssertionError if it fails
     */
    public String ask(String expression) throws Exception {
        JsonNode answer = call(
                "Runtime.evaluate",
                MAPPER.createObjectNode()
                        .put("expression", expression)
                        .put("returnByValue", true)
                        .put("awaitPromise", true));
        if (answer.has("exceptionDetails")) {
            throw new AssertionError(expression + ": " + answer.get("exceptionDetails"));
        }
        return answer.get("result").path("value").asText();
    }

    /**
     * Looks at the page through a window of another width, as somebody who prefers dark or light pages.
     *
     * @param width in pixels
     * @param dark whether dark pages are preferred
     */
    public void look(int width, boolean dark) throws Exception {
        call(
                "Emulation.setDeviceMetricsOverride",
                MAPPER.createObjectNode()
                        .put("width", width)
                        .put("height", HEIGHT)
                        .put("deviceScaleFactor", 1)
                        .put("mobile", false));
        ObjectNode media = MAPPER.createObjectNode();
        media.putArray("features")
                .addObject()
                .put("name", "prefers-color-scheme")
                .put("value", dark ? "dark" : "light");
        call("Emulation.setEmulatedMedia", media);
    }

    /** Writes what the page looks like into a PNG file. */
    public void screenshot(Path file) throws Exception {
        JsonNode answer =
                call("Page.captureScreenshot", MAPPER.createObjectNode().put("captureBeyondViewport", true));
        Files.write(file, Base64.getDecoder().decode(answer.get("data").asText()));
    }

    private JsonNode call(String method, ObjectNode parameters) throws Exception {
        int id = lastId.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        waiting.put(id, answer);
        ObjectNode message = MAPPER.createObjectNode().put("id", id).put("method", method);
        message.set("params", parameters);
        socket.sendText(message.toString(), true).join();
        JsonNode whole = answer.get(ANSWER_LIMIT_SECONDS, TimeUnit.SECONDS);
        if (whole.has("error")) {
            throw new IOException(method + ": " + whole.get("error"));
        }
        return whole.get("result");
    }

    private final class Answers implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                String message = text.toString();
                text.setLength(0);
                received(message);
            }
            from.request(1);
            return null;
        }

        private void received(String message) {
            try {
                JsonNode node = MAPPER.readTree(message);
                CompletableFuture<JsonNode> answer =
                        waiting.remove(node.path("id").asInt());
                if (answer != null) {
                    answer.complete(node);
                }
            } catch (IOException e) {
                waiting.values().forEach(answer -> answer.completeExceptionally(e));
            }
        }
    }

    @Override
    public void close() throws Exception {
        socket.abort();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.waitFor(END_LIMIT_SECONDS, TimeUnit.SECONDS);
        try (Stream<Path> files = Files.walk(profile)) {
            // Its helpers may still be writing into it.
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }
}
