package io.chainkeeper.contract;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProposedCommand;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What may stand at a position of the order, and what may not. */
public final class Values {
    private static final ByteSlice TEXT = ByteSlice.of(new byte[] {1, 2, 3});

    private Values() {}

    private static ByteSlice batch(int proposer, int stream, long sequence) {
        return BatchCodec.encode(List.of(
                new ProposedCommand(1, 7, 0, 1, TEXT), new ProposedCommand(proposer, 7, stream, sequence, TEXT)));
    }

    private static ByteSlice membership(int id) {
        return BatchCodec.encode(new Membership(1, List.of(new Member(1, 11), new Member(id, 12))));
    }

    private static ByteSlice changed(ByteSlice value, int at, int number) {
        byte[] bytes = value.toByteArray();
        ByteBuffer.wrap(bytes).putInt(at, number);
        return ByteSlice.of(bytes);
    }

    /** @return batches, the empty one, and memberships */
    public static List<ByteSlice> sound() {
        return List.of(BatchCodec.NO_OP, batch(255, 3, Long.MAX_VALUE), membership(255));
    }

    /** @return in words what is wrong, and the value */
    public static Map<String, ByteSlice> unsound() {
        ByteSlice sound = batch(2, 0, 1);
        byte[] whole = sound.toByteArray();
        Map<String, ByteSlice> values = new TreeMap<>();
        values.put("nothing", ByteSlice.EMPTY);
        values.put("no count", ByteSlice.of(new byte[3]));
        values.put("text", ByteSlice.of("bytes that are no batch".getBytes()));
        values.put("more commands than there are", changed(sound, 0, 3));
        values.put("fewer commands than there are", changed(sound, 0, 1));
        values.put("a mark that means nothing", changed(sound, 0, -3));
        values.put("a command longer than the batch", changed(sound, 4 + 24, 1 << 30));
        values.put("a command of negative length", changed(sound, 4 + 24, -1));
        values.put("cut short", ByteSlice.of(Arrays.copyOf(whole, whole.length - 1)));
        values.put("too long", ByteSlice.of(Arrays.copyOf(whole, whole.length + 1)));
        values.put("proposer 0", batch(0, 0, 1));
        values.put("proposer 256", batch(256, 0, 1));
        values.put("a negative proposer", batch(-1, 0, 1));
        values.put("a negative stream", batch(2, -1, 1));
        values.put("sequence 0", batch(2, 0, 0));
        values.put("member 0", changed(membership(2), 24, 0));
        values.put("member 256", changed(membership(2), 24, 256));
        values.put("a membership without members", changed(membership(2), 8, 0));
        values.put("the same member twice", changed(membership(2), 24, 1));
        return values;
    }
}
