package io.chainkeeper.benchmarks.load;

import io.grpc.MethodDescriptor.Marshaller;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The two requests of etcd's protocol that the load needs, in the encoding of Protocol Buffers. Field numbers are those
 * of {@code PutRequest} and {@code RangeRequest} in etcd's API reference. Answers are not taken apart.
 */
final class EtcdMessages {
    /** Messages as their bytes. */
    static final Marshaller<byte[]> BYTES = new Marshaller<>() {
        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };

    private static final int KEY = 1;
    private static final int PUT_VALUE = 2;
    private static final int RANGE_SERIALIZABLE = 7;

    private static final int VARINT = 0;
    private static final int LENGTH_DELIMITED = 2;
    private static final int FIELD_SHIFT = 3;
    private static final int SEVEN_BITS = 0x7f;
    private static final int MORE = 0x80;

    private EtcdMessages() {}

    /** A request to put a value under a key. */
    static byte[] put(String key, byte[] value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        bytes(out, KEY, key.getBytes(StandardCharsets.UTF_8));
        bytes(out, PUT_VALUE, value);
        return out.toByteArray();
    }

    /** A request for the value under a key. */
    static byte[] range(String key, boolean linearizable) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        bytes(out, KEY, key.getBytes(StandardCharsets.UTF_8));
        if (!linearizable) {
            varint(out, RANGE_SERIALIZABLE << FIELD_SHIFT | VARINT);
            varint(out, 1);
        }
        return out.toByteArray();
    }

    private static void bytes(ByteArrayOutputStream out, int field, byte[] value) {
        varint(out, field << FIELD_SHIFT | LENGTH_DELIMITED);
        varint(out, value.length);
        out.writeBytes(value);
    }

    private static void varint(ByteArrayOutputStream out, int value) {
        int rest = value;
        while (rest > SEVEN_BITS) {
            out.write(rest & SEVEN_BITS | MORE);
            rest >>>= 7;
        }
        out.write(rest);
    }
}
