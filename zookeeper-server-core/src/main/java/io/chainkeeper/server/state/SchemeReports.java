package io.chainkeeper.server.state;

import io.chainkeeper.ordering.MalformedMessageException;
import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * Which schemes of providers of the user's own ({@code authProvider.*}) each replica has said that it knows, and by
 * which class. Part of the replicated state. Not thread-safe.
 *
 * <pre>
 * replicaCount int, that many: replica int, schemeCount int, that many: scheme string, provider string
 * string: byteLength int, UTF-8
 * </pre>
 */
final class SchemeReports {
    private final SortedMap<Integer, SortedMap<String, String>> reports = new TreeMap<>();

    /** A replica says what it knows, with its start. */
    void report(int replica, Map<String, String> schemes) {
        reports.put(replica, new TreeMap<>(schemes));
    }

    boolean isEmpty() {
        return reports.isEmpty();
    }

    /**
     * @param counts tells whose word counts
     * @return the schemes that all of them know by the same class; null if no replica has said anything
     */
    SortedMap<String, String> agreed(IntPredicate counts) {
        if (reports.isEmpty()) {
            return null;
        }
        SortedMap<String, String> agreed = null;
        for (Map.Entry<Integer, SortedMap<String, String>> said : reports.entrySet()) {
            if (!counts.test(said.getKey())) {
                continue;
            }
            if (agreed == null) {
                agreed = new TreeMap<>(said.getValue());
            } else {
                agreed.entrySet().retainAll(said.getValue().entrySet());
            }
        }
        return Collections.unmodifiableSortedMap(agreed == null ? new TreeMap<>() : agreed);
    }

    /** @return the bytes */
    byte[] encode() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        put(reports.size(), out);
        reports.forEach((replica, schemes) -> {
            put(replica, out);
            put(schemes.size(), out);
            schemes.forEach((scheme, provider) -> {
                put(scheme, out);
                put(provider, out);
            });
        });
        return out.toByteArray();
    }

    private static void put(int number, ByteArrayOutputStream out) {
        out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
    }

    private static void put(String text, ByteArrayOutputStream out) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        put(bytes.length, out);
        out.writeBytes(bytes);
    }

    /**
     * Takes over what {@link #encode} wrote.
     *
     * @throws MalformedMessageException if it is anything else
     */
    void read(ByteBuffer in) throws MalformedMessageException {
        int replicas = count(in);
        for (int i = 0; i < replicas; i++) {
            int replica = in.getInt();
            SortedMap<String, String> schemes = new TreeMap<>();
            int count = count(in);
            for (int j = 0; j < count; j++) {
                schemes.put(text(in), text(in));
            }
            reports.put(replica, schemes);
        }
    }

    private static int count(ByteBuffer in) throws MalformedMessageException {
        int count = in.getInt();
        if (count < 0 || count > in.remaining() / (2 * Integer.BYTES)) {
            throw new MalformedMessageException("side state claims " + count + " reports of schemes");
        }
        return count;
    }

    private static String text(ByteBuffer in) {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
