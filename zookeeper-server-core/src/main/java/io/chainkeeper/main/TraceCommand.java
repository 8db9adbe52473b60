package io.chainkeeper.main;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.server.tracing.RequestWatch;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * {@code zkServer.sh trace}: asks the AdminServers of an ensemble for their traces and prints for each command what all
 * servers have seen of it, as one timeline.
 */
public final class TraceCommand {
    private static final String USAGE = "Usage: zkServer.sh trace [--session ID [--watch]] [--limit N]"
            + " [--connect HOST:ADMINPORT[/COMMANDS][,HOST:ADMINPORT[/COMMANDS]...]] [ZOO_CFG]";
    private static final String SESSION = "--session";
    private static final String LIMIT = "--limit";
    private static final String CONNECT = "--connect";
    private static final String WATCH = "--watch";
    private static final String DEFAULT_LIMIT = "20";
    private static final String COMMANDS = "/commands";
    private static final int TIMEOUT_MILLIS = 5_000;
    private static final double MICROS_PER_MILLI = 1_000;
    private static final int NOT_DONE = Exit.CANNOT_START.code();
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final PrintStream out;
    private final PrintStream err;

    /** A request, with what each server has seen of it. */
    private record Joined(JsonNode first, SortedMap<Integer, JsonNode> seen) {
        long begin() {
            long begin = Long.MAX_VALUE;
            for (JsonNode trace : seen.values()) {
                for (JsonNode micros : trace.get("stages_micros")) {
                    begin = Math.min(begin, micros.asLong());
                }
            }
            return begin;
        }
    }

    /**
     * @param out where the timelines go
     * @param err where the one line of a refusal goes, and one for each server that does not answer
     */
    TraceCommand(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /**
     * Runs the command and ends the process: 0 if at least one server has answered, 1 if none has, 2 if the command
     * line is wrong.
     *
     * @param args addresses of the AdminServers, separated by commas, each with the path of its commands
     *     ({@code admin.commandURL}) unless that is {@code /commands}; then what the user has written
     */
    public static void main(String[] args) {
        System.exit(new TraceCommand(System.out, System.err).run(args));
    }

    int run(String... args) {
        Map<String, String> options = new HashMap<>(Map.of(LIMIT, DEFAULT_LIMIT));
        boolean watches = false;
        boolean isWrong = args.length == 0;
        for (int i = 1; i < args.length; i++) {
            if (args[i].equals(WATCH)) {
                watches = true;
            } else if (List.of(SESSION, LIMIT, CONNECT).contains(args[i]) && i + 1 < args.length) {
                options.put(args[i], args[++i]);
            } else {
                isWrong = true;
            }
        }
        String session = options.get(SESSION);
        isWrong |= !options.get(LIMIT).matches("[1-9]\\d{0,3}") || watches && session == null;
        if (isWrong || session != null && !session.matches("0x[0-9a-fA-F]{1,16}")) {
            err.println(USAGE);
            return Exit.INVALID_CONFIGURATION.code();
        }
        String question = "limit=" + RequestWatch.KEPT + (session == null ? "" : "&session=" + session)
                + (watches ? "&watch=true" : "");
        List<JsonNode> answers = ask(options.getOrDefault(CONNECT, args[0]).split(","), question);
        if (answers.isEmpty()) {
            return NOT_DONE;
        }
        if (watches) {
            out.println("From now on, for ten minutes, " + answers.size() + " servers trace all requests of session "
                    + session + ". Ask again without --watch");
            return 0;
        }
        print(answers, Integer.parseInt(options.get(LIMIT)));
        return 0;
    }

    private List<JsonNode> ask(String[] addresses, String question) {
        List<JsonNode> answers = new ArrayList<>();
        for (String address : addresses) {
            try {
                answers.add(ask(address, question));
            } catch (IOException e) {
                err.println("Error: the AdminServer at " + address + " gives no traces (" + e.getMessage()
                        + "); start it, or name the AdminServers with --connect, with a path behind the port where"
                        + " admin.commandURL is not " + COMMANDS);
            }
        }
        return answers;
    }

    private static JsonNode ask(String address, String question) throws IOException {
        String commands = address.contains("/") ? address : address + COMMANDS;
        HttpURLConnection connection =
                (HttpURLConnection) new URL("http://" + commands + "/traces?" + question).openConnection();
        connection.setConnectTimeout(TIMEOUT_MILLIS);
        connection.setReadTimeout(TIMEOUT_MILLIS);
        try {
            int status = connection.getResponseCode();
            JsonNode answer;
            try (InputStream body = status < HttpURLConnection.HTTP_BAD_REQUEST
                    ? connection.getInputStream()
                    : connection.getErrorStream()) {
                answer = parsed(body);
            }
            if (answer == null || !answer.has("traces")) {
                boolean says = answer != null && answer.hasNonNull("error");
                throw new IOException(
                        says ? answer.get("error").asText() : "HTTP status " + status + ", and no answer with traces");
            }
            return answer;
        } finally {
            connection.disconnect();
        }
    }

    /** Returns null for what somebody else answers who has the port. */
    private static JsonNode parsed(InputStream body) throws IOException {
        try {
            return body == null ? null : MAPPER.readTree(body);
        } catch (JsonProcessingException e) {
            return null;
        }
    }

    private void print(List<JsonNode> answers, int limit) {
        Map<String, Joined> byName = new HashMap<>();
        SortedMap<Integer, JsonNode> servers = new TreeMap<>();
        int unordered = 0;
        for (JsonNode answer : answers) {
            int server = answer.get("server_id").asInt();
            servers.put(server, answer);
            for (JsonNode trace : answer.get("traces")) {
                String name = trace.has("command") ? trace.get("command").asText() : "read " + unordered++;
                byName.computeIfAbsent(name, any -> new Joined(trace, new TreeMap<>()))
                        .seen()
                        .put(server, trace);
            }
        }
        List<Joined> all = new ArrayList<>(byName.values());
        all.sort(Comparator.comparingLong(Joined::begin));
        all.subList(Math.max(0, all.size() - limit), all.size()).forEach(joined -> print(joined, servers));
        if (all.isEmpty()) {
            out.println("No traces yet: of " + answers.get(0).get("trace_every").asInt()
                    + " commands one is traced (ordering.traceEvery)");
        }
    }

    private void print(Joined joined, SortedMap<Integer, JsonNode> servers) {
        JsonNode first = joined.first();
        boolean isOrdered = first.has("command");
        out.println(first.get("op").asText() + " " + first.get("path").asText() + "  session "
                + first.get("session_id").asText() + "  zxid "
                + first.get("zxid").asText()
                + (isOrdered
                        ? "  position " + first.get("position").asText() + "  command "
                                + first.get("command").asText()
                        : ""));
        long begin = joined.begin();
        for (int server : servers.keySet()) {
            JsonNode trace = joined.seen().get(server);
            if (trace != null) {
                out.println("  server " + server + ": " + stages(trace.get("stages_micros"), begin) + " ms");
            } else if (isOrdered) {
                out.println("  server " + server + ": no trace");
            }
        }
    }

    private static String stages(JsonNode micros, long begin) {
        List<String> stages = new ArrayList<>();
        micros.fields()
                .forEachRemaining(stage -> stages.add(String.format(
                        Locale.ROOT,
                        "%s %.3f",
                        stage.getKey(),
                        (stage.getValue().asLong() - begin) / MICROS_PER_MILLI)));
        return String.join(", ", stages);
    }
}
