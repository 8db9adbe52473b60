package io.chainkeeper.contract;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.ProposedCommand;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.Test;

/** Bytes from a peer: every message survives the wire, and anything else is refused as malformed. */
public abstract class MessageCodecContract {
    private static final int OFFSET = 3;
    private static final int GARBAGE_FRAMES = 50_000;
    private static final int MAX_GARBAGE_BYTES = 200;

    private final MessageCodec codec;
    private final List<? extends Message> messages;
    private final Class<?> family;

    /**
     * @param codec of the protocol
     * @param family the sealed interface of its messages
     * @param messages every kind at least once, with short lists and empty ones
     */
    protected MessageCodecContract(MessageCodec codec, Class<?> family, List<? extends Message> messages) {
        this.codec = codec;
        this.family = family;
        this.messages = messages;
    }

    /**
     * @param message to be sent
     * @return one frame, at an offset in a larger array, as it comes from a link
     */
    protected final ByteSlice frame(Message message) {
        byte[] bytes = bytes(message);
        byte[] larger = new byte[bytes.length + 2 * OFFSET];
        System.arraycopy(bytes, 0, larger, OFFSET, bytes.length);
        return ByteSlice.of(larger, OFFSET, bytes.length);
    }

    private byte[] bytes(Message message) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (ByteSlice part : codec.encode(message)) {
            out.writeBytes(part.toByteArray());
        }
        return out.toByteArray();
    }

    @Test
    public void everyMessage_decodesToItself() throws Exception {
        TreeSet<String> types = new TreeSet<>();
        for (Message message : messages) {
            assertEquals(message, codec.decode(frame(message)));
            types.add(message.getClass().getSimpleName());
        }
        assertEquals("a message is missing here: " + types, countRecords(family), types.size());
    }

    private static int countRecords(Class<?> type) {
        return type.isRecord()
                ? 1
                : Arrays.stream(type.getPermittedSubclasses())
                        .mapToInt(MessageCodecContract::countRecords)
                        .sum();
    }

    /** What may be shorter or longer is a value at the end; then the frame says exactly what it holds. */
    @Test
    public void frameCutShortOrTooLong_isMalformedOrMeansItself() {
        int refused = 0;
        for (Message message : messages) {
            byte[] whole = bytes(message);
            for (int length = 0; length <= whole.length + 1; length++) {
                byte[] other = Arrays.copyOf(whole, length);
                try {
                    Message decoded = codec.decode(ByteSlice.of(other));
                    assertArrayEquals(message + " of " + length + " bytes", other, bytes(decoded));
                } catch (MalformedMessageException e) {
                    refused++;
                }
            }
        }
        assertTrue("only " + refused + " were refused", refused > 10 * messages.size());
    }

    @Test
    public void unknownType_isMalformedAndNamed() {
        TreeSet<Byte> known = new TreeSet<>();
        messages.forEach(message -> known.add(bytes(message)[0]));
        for (int type = Byte.MIN_VALUE; type <= Byte.MAX_VALUE; type++) {
            byte[] frame = new byte[100];
            frame[0] = (byte) type;
            if (!known.contains((byte) type)) {
                MalformedMessageException e =
                        assertThrows(MalformedMessageException.class, () -> codec.decode(ByteSlice.of(frame)));
                assertTrue(e.getMessage(), e.getMessage().contains("type " + type));
            }
        }
    }

    /** Garbage never allocates by what it claims, and never throws anything else. */
    @Test
    public void garbage_isMalformedOrAMessage() {
        Random random = new Random(3);
        int malformed = 0;
        for (int i = 0; i < GARBAGE_FRAMES; i++) {
            try {
                codec.decode(ByteSlice.of(i % 2 == 0 ? noise(random) : damaged(random)));
            } catch (MalformedMessageException e) {
                malformed++;
            }
        }
        assertTrue("only " + malformed + " were refused", malformed > GARBAGE_FRAMES / 20);
    }

    private byte[] noise(Random random) {
        byte[] bytes = new byte[1 + random.nextInt(MAX_GARBAGE_BYTES)];
        random.nextBytes(bytes);
        bytes[0] = bytes(messages.get(random.nextInt(messages.size())))[0];
        return bytes;
    }

    private byte[] damaged(Random random) {
        byte[] bytes = bytes(messages.get(random.nextInt(messages.size())));
        for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return bytes;
    }

    /** Whatever carries values refuses what is no value of a position, before anybody can accept and log it. */
    protected final void assertValuesAreChecked(Function<ByteSlice, Message> carrier) throws Exception {
        for (ByteSlice sound : Values.sound()) {
            Message message = carrier.apply(sound);
            assertEquals(message, codec.decode(frame(message)));
        }
        Values.unsound().forEach((what, value) -> {
            ByteSlice frame = frame(carrier.apply(value));
            assertThrows(what, MalformedMessageException.class, () -> codec.decode(frame));
        });
    }

    /** Commands on their way to who orders them: they stand there as in a batch, and long ones are not copied. */
    protected final void assertCommandsAreForwarded(Function<List<ProposedCommand>, Message> carrier) throws Exception {
        for (int[] lengths : new int[][] {{}, {0}, {5}, {5_000}, {5, 5_000, 0, 2_047, 2_048, 9}, {5_000, 5_000}}) {
            List<ProposedCommand> commands = new ArrayList<>();
            for (int length : lengths) {
                byte[] bytes = new byte[length];
                Arrays.fill(bytes, (byte) (1 + commands.size()));
                commands.add(new ProposedCommand(1, 2, 3, 4 + commands.size(), ByteSlice.of(bytes)));
            }
            Message message = carrier.apply(commands);
            assertEquals(message, codec.decode(frame(message)));
            byte[] whole = bytes(message);
            byte[] batch = BatchCodec.encode(commands).toByteArray();
            assertArrayEquals(batch, Arrays.copyOfRange(whole, whole.length - batch.length, whole.length));
            List<ByteSlice> parts = List.of(codec.encode(message));
            for (ProposedCommand command : commands) {
                boolean own = parts.stream().anyMatch(part -> part == command.command());
                assertEquals(command.toString(), command.command().length() > 2_047, own);
            }
        }
    }
}
