package io.chainkeeper.ycsb;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import site.ycsb.ByteIterator;
import site.ycsb.StringByteIterator;

/** A record as the data of a znode: a JSON object, field name to text, as YCSB's own ZooKeeper binding writes it. */
final class RecordCodec {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<HashMap<String, String>> FIELDS = new TypeReference<>() {};

    private RecordCodec() {}

    static byte[] encode(Map<String, String> fields) {
        try {
            return JSON.writeValueAsBytes(fields);
        } catch (IOException e) {
            throw new IllegalStateException("a map of texts always has a JSON form", e);
        }
    }

    /**
     * @return the fields of a record
     * @throws IOException if the data is no JSON object of texts: the znode was not written by YCSB
     */
    static Map<String, String> decode(byte[] data) throws IOException {
        return JSON.readValue(data, FIELDS);
    }

    /**
     * Gives a read's result to YCSB.
     *
     * @param wanted names of the fields asked for; null for all
     */
    static void fill(Map<String, String> fields, Set<String> wanted, Map<String, ByteIterator> result) {
        fields.forEach((name, value) -> {
            if (wanted == null || wanted.contains(name)) {
                result.put(name, new StringByteIterator(value));
            }
        });
    }
}
