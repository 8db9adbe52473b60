package io.chainkeeper.simulation.timeline;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An installed Chromium or Chrome without a window, told what to do through the Chrome DevTools Protocol: opens a page,
 * evaluates expressions in it, and moves its mouse.
 */
final class HeadlessBrowser implements AutoCloseable {
    private static final List<String> NAMES =
            List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome");
    private static final Pattern LISTENING = Pattern.compile("DevTools listening on ws://([^/]+)/");
    private static final Pattern SOCKET = Pattern.compile("\"webSocketDebuggerUrl\":\\s*\"([^\"]+)\"");
    private static final Pattern VALUE = Pattern.compile("\"value\":\"?([^\"}]*)");
    private static final long PATIENCE_SECONDS = 60;

    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
    private final WebSocket page;
    private int lastCall;

    private HeadlessBrowser(Process process, String host) throws IOException, InterruptedException {
        this.process = process;
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + host + "/json/new?about:blank"))
                .PUT(HttpRequest.BodyPublishers.noBody())
                .build();
        String opened =
                client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        Matcher socket = SOCKET.matcher(opened);
        if (!socket.find()) {
            throw new IOException("the browser opens no page: " + opened);
        }
        page = client.newWebSocketBuilder()
                .buildAsync(URI.create(socket.group(1)), new Messages())
                .join();
        call("Page.enable", "{}");
    }

    /** The program, if there is one on the path. */
    static Optional<Path> installed() {
        for (String name : NAMES) {
            for (String directory : System.getenv("PATH").split(File.pathSeparator)) {
                Path program = Path.of(directory, name);
                if (Files.isExecutable(program)) {
                    return Optional.of(program);
                }
            }
        }
        return Optional.empty();
    }

    /** Starts one with an empty profile. */
    static HeadlessBrowser start(Path program, Path profile) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        program.toString(),
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "--window-size=1400,900",
                        "about:blank")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader words =
                new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8));
        for (String line = words.readLine(); line != null; line = words.readLine()) {
            Matcher listening = LISTENING.matcher(line);
            if (listening.find()) {
                Thread rest = new Thread(() -> readToTheEnd(words), "browser-words");
                rest.setDaemon(true);
                rest.start();
                return new HeadlessBrowser(process, listening.group(1));
            }
        }
        throw new IOException("the browser does not start");
    }

    /** Else the browser would wait for somebody to read what it says. */
    private static void readToTheEnd(BufferedReader words) {
        try {
            words.transferTo(Writer.nullWriter());
        } catch (IOException e) {
            Thread.currentThread().interrupt(); // the browser has been closed
        }
    }

    private final class Messages implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                messages.add(text.toString());
                text.setLength(0);
            }
            socket.request(1);
            return null;
        }
    }

    private String await(String beginning) throws IOException, InterruptedException {
        String message = messages.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        while (message != null && !message.startsWith(beginning)) {
            message = messages.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        if (message == null) {
            throw new IOException("the browser does not answer");
        }
        return message;
    }

    private String call(String method, String parameters) throws IOException, InterruptedException {
        lastCall++;
        page.sendText("{\"id\":" + lastCall + ",\"method\":\"" + method + "\",\"params\":" + parameters + "}", true)
                .join();
        return await("{\"id\":" + lastCall + ",");
    }

    /** Opens a page and waits until it has been loaded. */
    void open(URI address) throws IOException, InterruptedException {
        call("Page.navigate", "{\"url\":\"" + address + "\"}");
        await("{\"method\":\"Page.loadEventFired\"");
    }

    /** The value of an expression in the page. */
    String evaluate(String expression) throws IOException, InterruptedException {
        String quoted = expression.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
        String answer = call("Runtime.evaluate", "{\"returnByValue\":true,\"expression\":\"String(" + quoted + ")\"}");
        Matcher value = VALUE.matcher(answer);
        if (answer.contains("exceptionDetails") || !value.find()) {
            throw new IOException(expression + ": " + answer);
        }
        return value.group(1);
    }

    /** The same as a number. */
    double number(String expression) throws IOException, InterruptedException {
        return Double.parseDouble(evaluate(expression));
    }

    /** The mouse does something at a place of the window; the type is one of the protocol's. */
    void mouse(String type, double x, double y, String more) throws IOException, InterruptedException {
        call("Input.dispatchMouseEvent", "{\"type\":\"" + type + "\",\"x\":" + x + ",\"y\":" + y + more + "}");
    }

    @Override
    public void close() throws InterruptedException {
        page.abort();
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
        process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
}
