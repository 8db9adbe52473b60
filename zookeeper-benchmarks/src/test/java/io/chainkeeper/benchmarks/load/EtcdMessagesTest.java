package io.chainkeeper.benchmarks.load;

import static org.junit.Assert.assertEquals;

import java.util.HexFormat;
import org.junit.Test;

/** The bytes that etcd's protocol asks for, byte by byte. */
public final class EtcdMessagesTest {
    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    public void put_isKeyAndValue() {
        assertEquals("0a022f61" + "1203010203", hex(EtcdMessages.put("/a", new byte[] {1, 2, 3})));
    }

    @Test
    public void longValue_hasALengthOfSeveralBytes() {
        String message = hex(EtcdMessages.put("k", new byte[300]));
        assertEquals("0a016b" + "12ac02" + "00".repeat(300), message);
    }

    @Test
    public void range_isLinearizableUnlessSaidOtherwise() {
        assertEquals("0a022f61", hex(EtcdMessages.range("/a", true)));
        assertEquals("0a022f61" + "3801", hex(EtcdMessages.range("/a", false)));
    }
}
