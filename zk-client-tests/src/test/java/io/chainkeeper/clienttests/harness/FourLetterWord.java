package io.chainkeeper.clienttests.harness;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Asks a server with ZooKeeper's four-letter words. */
public final class FourLetterWord {
    /** More than a busy machine keeps a server from its work. */
    private static final int ANSWER_MILLIS = 30_000;

    /** {@link #srvr} is asked until something is true, so it gives up soon and is asked again. */
    private static final int SRVR_MILLIS = 2_000;

    private FourLetterWord() {}

    /**
     * Returns the answer to a four-letter word.
     *
     * @throws IOException if nobody listens or no complete answer comes within half a minute
     */
    public static String ask(ServerProcess server, String word) throws IOException {
        return ask(server, word, ANSWER_MILLIS);
    }

    private static String ask(ServerProcess server, String word, int mostMillis) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(mostMillis);
            socket.connect(new InetSocketAddress(server.clientHost(), server.clientPort()), mostMillis);
            socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /**
     * Returns the value of a line {@code name: value} of the server's {@code srvr} answer, or null if the server does
     * not answer within two seconds, does not serve or has no such line.
     */
    public static String srvr(ServerProcess server, String name) {
        try {
            return value(ask(server, "srvr", SRVR_MILLIS), name);
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * As {@link #srvr}, for those who ask once.
     *
     * @throws IOException as {@link #ask} does
     */
    static String srvrOnce(ServerProcess server, String name) throws IOException {
        return value(ask(server, "srvr"), name);
    }

    private static String value(String answer, String name) {
        for (String line : answer.split("\n")) {
            if (line.startsWith(name + ": ")) {
                return line.substring(name.length() + 2).trim();
            }
        }
        return null;
    }
}
