package io.chainkeeper.ordering;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.util.List;
import org.junit.Test;

/** Each bound leaves room for what comes out of the one before it. */
public class SizeLimitsTest {
    private static final int MIB = 1 << 20;
    private static final long LARGE_HEAP = 16L << 30;

    @Test
    public void largestCommandAlone_makesAValueWithinTheBounds() {
        ByteSlice command = ByteSlice.of(new byte[SizeLimits.commandBytes(SizeLimits.MAX_REQUEST_BYTES)]);
        ByteSlice value = BatchCodec.encode(List.of(new ProposedCommand(1, 1, 0, 1, command)));
        assertEquals(SizeLimits.MAX_VALUE_BYTES, value.length());
        assertTrue(SizeLimits.MAX_RECORD_BYTES > SizeLimits.MAX_VALUE_BYTES);
        assertTrue(SizeLimits.MAX_FRAME_BYTES > SizeLimits.MAX_VALUE_BYTES);
    }

    @Test
    public void link_takesWhatMayBeUnderWayAtOnce_andAFrameOfAReplicaWithALargerSetting() {
        for (int request : new int[] {1, 1_048_575, 20 * MIB, SizeLimits.MAX_REQUEST_BYTES}) {
            long own = (long) SizeLimits.MAX_OUTSTANDING_BYTES + SizeLimits.MAX_OFFERED_BYTES;
            long forwards = own + 2L * SizeLimits.commandBytes(request);
            long values = (long) SizeLimits.MAX_UNDER_WAY_BYTES + SizeLimits.valueBytes(request);
            assertTrue("" + request, SizeLimits.linkBytes(request) >= forwards + values);
            assertTrue("" + request, SizeLimits.linkBytes(request) > SizeLimits.MAX_FRAME_BYTES);
        }
    }

    @Test
    public void setting_isTakenUpToTheBoundAndNotFurther() {
        assertNull(SizeLimits.refusal(1_048_575, LARGE_HEAP));
        assertNull(SizeLimits.refusal(SizeLimits.MAX_REQUEST_BYTES, LARGE_HEAP));
        for (int wrong : new int[] {SizeLimits.MAX_REQUEST_BYTES + 1, Integer.MAX_VALUE, 0, -1}) {
            String line = SizeLimits.refusal(wrong, LARGE_HEAP);
            assertTrue(line, line.startsWith("jute.maxbuffer=" + wrong + ": must be 1 to 67108864"));
        }
    }

    @Test
    public void setting_needsAHeap() {
        assertNull(SizeLimits.refusal(20 * MIB, 480L * MIB));
        String line = SizeLimits.refusal(20 * MIB, 480L * MIB - 1);
        assertTrue(line, line.contains("need a heap of 480 MiB, this server has 479;"));
    }
}
