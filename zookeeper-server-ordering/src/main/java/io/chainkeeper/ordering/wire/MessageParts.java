package io.chainkeeper.ordering.wire;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.acceptor.FoundingHello;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes and reads the parts of messages that protocols share; big-endian. What reads throws {@link
 * BufferUnderflowException}, {@link IndexOutOfBoundsException} or {@link IllegalArgumentException} where a frame is cut
 * short, which {@link #decode} turns into {@link MalformedMessageException}, and allocates nothing by what a frame
 * claims before it has checked the claim.
 */
public final class MessageParts {
    /** Bytes of a companion: its id a byte, its disk long. */
    private static final int COMPANION_BYTES = 1 + Long.BYTES;

    /** From how many bytes on a command is sent as a part of its own; shorter ones are not worth one. */
    private static final int OWN_PART_BYTES = 1 << 11;

    private MessageParts() {}

    /** Decodes the body of a message. */
    @FunctionalInterface
    public interface Body {
        /**
         * @param type first byte of the frame
         * @param in the frame behind it; has to be read to its end
         * @return the message
         * @throws MalformedMessageException if it is none
         */
        Message decode(byte type, ByteBuffer in) throws MalformedMessageException;
    }

    /**
     * Decodes a message that begins with a byte for its type.
     *
     * @param protocol in words, for the reason of a refusal
     * @param frame the whole message
     * @param body decodes what follows the type
     * @return the message
     * @throws MalformedMessageException if the frame is too short, too long or says what cannot be
     */
    public static Message decode(String protocol, ByteSlice frame, Body body) throws MalformedMessageException {
        ByteBuffer in = frame.asByteBuffer();
        try {
            byte type = in.get();
            Message message = body.decode(type, in);
            if (in.hasRemaining()) {
                throw new MalformedMessageException(
                        "message of type " + type + " has " + in.remaining() + " bytes too many");
            }
            return message;
        } catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new MalformedMessageException(protocol + " message of " + frame.length() + " bytes is cut short");
        }
    }

    /**
     * @param out a buffer with an array of its own that has to be full
     * @return its bytes
     */
    public static ByteSlice done(ByteBuffer out) {
        InvariantViolated.check(!out.hasRemaining(), "message shorter than computed by %d bytes", out.remaining());
        return ByteSlice.of(out.array());
    }

    /**
     * @param value what to say
     * @return 1 if so, else 0
     */
    public static byte flag(boolean value) {
        return (byte) (value ? 1 : 0);
    }

    /**
     * @param in where a ballot stands
     * @return the ballot
     * @throws MalformedMessageException if its numbers are out of range
     */
    public static Ballot ballot(ByteBuffer in) throws MalformedMessageException {
        long round = in.getLong();
        int replica = in.getInt();
        if (round < 0 || round > Ballot.MAX_ROUND || replica < 0 || replica > Membership.MAX_REPLICA_ID) {
            throw new MalformedMessageException("ballot " + round + "." + replica + " is out of range");
        }
        return new Ballot(round, replica);
    }

    /**
     * @param in where a replica's id stands in a byte
     * @return the id, from 1
     * @throws MalformedMessageException if it is 0
     */
    public static int replicaId(ByteBuffer in) throws MalformedMessageException {
        int id = in.get() & 0xff;
        if (id == 0) {
            throw new MalformedMessageException("replica id 0");
        }
        return id;
    }

    /**
     * @param in where a number of entries stands
     * @param bytesEach of each entry, at least
     * @return the number, for which there are bytes enough behind it
     * @throws MalformedMessageException if there are not
     */
    public static int count(ByteBuffer in, int bytesEach) throws MalformedMessageException {
        int count = in.getInt();
        if (count < 0 || count > in.remaining() / bytesEach) {
            throw new MalformedMessageException("message claims " + count + " entries in " + in.remaining() + " bytes");
        }
        return count;
    }

    /**
     * @param hello to be written
     * @return bytes that it needs
     */
    public static int foundingHelloBytes(FoundingHello hello) {
        return Long.BYTES + 4 + hello.participants().size() + hello.companions().size() * COMPANION_BYTES;
    }

    /**
     * @param out with room for {@link #foundingHelloBytes}
     * @param hello to be written
     * @return the buffer
     */
    public static ByteBuffer putFoundingHello(ByteBuffer out, FoundingHello hello) {
        out.putLong(hello.disk());
        out.put(flag(hello.promisedNothing())).put(flag(hello.founder()));
        out.put((byte) hello.participants().size());
        hello.participants().forEach(id -> out.put(id.byteValue()));
        out.put((byte) hello.companions().size());
        hello.companions().forEach(member -> out.put((byte) member.replicaId()).putLong(member.disk()));
        return out;
    }

    /**
     * @param in where a founding hello stands
     * @return the hello
     * @throws MalformedMessageException if it names a replica that cannot be
     */
    public static FoundingHello foundingHello(ByteBuffer in) throws MalformedMessageException {
        long disk = in.getLong();
        boolean promisedNothing = in.get() != 0;
        boolean founder = in.get() != 0;
        int count = in.get() & 0xff;
        List<Integer> participants = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            participants.add(replicaId(in));
        }
        int companionCount = in.get() & 0xff;
        List<Member> companions = new ArrayList<>(companionCount);
        for (int i = 0; i < companionCount; i++) {
            companions.add(new Member(replicaId(in), in.getLong()));
        }
        return new FoundingHello(disk, promisedNothing, founder, participants, companions);
    }

    /**
     * @param commands to be written by {@link #withCommands}
     * @return bytes that they need in the buffer
     */
    public static int commandsBytes(List<ProposedCommand> commands) {
        int bytes = Integer.BYTES;
        for (ProposedCommand command : commands) {
            int length = command.command().length();
            bytes += BatchCodec.COMMAND_OVERHEAD_BYTES + (length < OWN_PART_BYTES ? length : 0);
        }
        return bytes;
    }

    /**
     * Writes commands behind the rest of a message. Long ones are not copied.
     *
     * @param out the message's buffer, with an array of its own and exactly {@link #commandsBytes} left
     * @param commands to be written
     * @return the whole message, as {@link io.chainkeeper.ordering.MessageCodec#encode} returns it
     */
    public static ByteSlice[] withCommands(ByteBuffer out, List<ProposedCommand> commands) {
        out.putInt(commands.size());
        List<ByteSlice> parts = List.of();
        int begin = 0;
        for (ProposedCommand command : commands) {
            if (command.command().length() < OWN_PART_BYTES) {
                BatchCodec.put(out, command);
            } else {
                BatchCodec.putBefore(out, command);
                parts = begin == 0 ? new ArrayList<>() : parts;
                parts.add(ByteSlice.of(out.array(), begin, out.position() - begin));
                parts.add(command.command());
                begin = out.position();
            }
        }
        ByteSlice all = done(out);
        if (begin == 0) {
            return new ByteSlice[] {all};
        }
        if (begin < all.length()) {
            parts.add(all.slice(begin, all.length() - begin));
        }
        return parts.toArray(ByteSlice[]::new);
    }

    /**
     * @param in over the frame from its first byte, where commands stand
     * @param frame what their bytes will be views of
     * @return the commands, in order
     * @throws MalformedMessageException if there are fewer than it claims, or their numbers are out of range
     */
    public static List<ProposedCommand> commands(ByteBuffer in, ByteSlice frame) throws MalformedMessageException {
        int count = count(in, BatchCodec.COMMAND_OVERHEAD_BYTES);
        List<ProposedCommand> commands = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            ProposedCommand command = BatchCodec.get(in, frame);
            BatchCodec.checkNumbers(command.proposer(), command.stream(), command.sequence());
            commands.add(command);
        }
        return commands;
    }

    /**
     * @param frame that holds the value of a position
     * @param from where it begins
     * @param length its bytes
     * @return the value, a view of the frame, which can be accepted and logged
     * @throws MalformedMessageException if it is no value
     */
    public static ByteSlice value(ByteSlice frame, int from, int length) throws MalformedMessageException {
        ByteSlice value = frame.slice(from, length);
        BatchCodec.check(value);
        return value;
    }

    /**
     * @param in over the frame from its first byte
     * @param frame that the value is the rest of
     * @return the value, a view of the frame; the buffer is read to its end
     */
    public static ByteSlice rest(ByteBuffer in, ByteSlice frame) {
        ByteSlice value = frame.slice(in.position(), in.remaining());
        in.position(in.limit());
        return value;
    }
}
