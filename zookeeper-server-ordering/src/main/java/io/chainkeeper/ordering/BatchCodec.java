package io.chainkeeper.ordering;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The value of one position: a batch of commands, encoded once by its proposer and then forwarded, logged and
 * delivered as the same bytes. The empty batch is the no-op.
 *
 * <pre>
 * count      int
 * count times:
 *   proposer     int
 *   incarnation  long
 *   stream       int
 *   sequence     long
 *   length       int
 *   command      length bytes
 * </pre>
 *
 * <p>A position may hold a {@link Membership} instead. Its count is {@value #MEMBERSHIP_MARK}, and the members follow.
 * Or it holds a note of the protocol to itself: its count is {@value #NOTE_MARK}, and opaque bytes follow. For the
 * application a note is an empty batch.
 */
public final class BatchCodec {
    /** The no-op. */
    public static final ByteSlice NO_OP = ByteSlice.of(new byte[4]);

    /** Bytes of a batch besides its commands. */
    public static final int BATCH_OVERHEAD_BYTES = 4;

    /** Bytes that each command adds besides its own. */
    public static final int COMMAND_OVERHEAD_BYTES = 28;

    private static final int MEMBERSHIP_MARK = -1;

    private static final int NOTE_MARK = -2;

    private BatchCodec() {}

    /**
     * Encodes a membership as the value of a position.
     *
     * @param membership in force from the next position on
     * @return the value
     */
    public static ByteSlice encode(Membership membership) {
        ByteBuffer out = ByteBuffer.allocate(BATCH_OVERHEAD_BYTES + membership.encodedBytes());
        out.putInt(MEMBERSHIP_MARK);
        membership.put(out);
        return ByteSlice.of(out.array());
    }

    /**
     * @param value the value of a position
     * @return whether it is a membership and no batch
     */
    public static boolean isMembership(ByteSlice value) {
        return value.length() >= BATCH_OVERHEAD_BYTES && value.asByteBuffer().getInt() == MEMBERSHIP_MARK;
    }

    /**
     * Decodes a membership.
     *
     * @param value for which {@link #isMembership} holds
     * @return the membership in force from the next position on
     * @throws MalformedMessageException if the rest is anything else
     */
    public static Membership decodeMembership(ByteSlice value) throws MalformedMessageException {
        return Membership.decode(value.slice(BATCH_OVERHEAD_BYTES, Math.max(0, value.length() - BATCH_OVERHEAD_BYTES)));
    }

    /**
     * Decodes a membership that was checked before: when it arrived, or when it was recorded.
     *
     * @param value for which {@link #isMembership} holds
     * @return the membership in force from the next position on
     * @throws InvariantViolated if the rest is anything else
     */
    public static Membership membershipIn(ByteSlice value) {
        try {
            return decodeMembership(value);
        } catch (MalformedMessageException e) {
            throw new InvariantViolated("a membership of the order does not decode: " + e.getMessage());
        }
    }

    /**
     * Encodes a note of the protocol to itself as the value of a position.
     *
     * @param note the protocol's bytes
     * @return the value
     */
    public static ByteSlice encodeNote(ByteSlice note) {
        ByteBuffer out = ByteBuffer.allocate(BATCH_OVERHEAD_BYTES + note.length());
        out.putInt(NOTE_MARK).put(note.array(), note.offset(), note.length());
        return ByteSlice.of(out.array());
    }

    /**
     * @param value the value of a position
     * @return whether it is a note of the protocol to itself
     */
    public static boolean isNote(ByteSlice value) {
        return value.length() >= BATCH_OVERHEAD_BYTES && value.asByteBuffer().getInt() == NOTE_MARK;
    }

    /**
     * @param value for which {@link #isNote} holds
     * @return the protocol's bytes
     */
    public static ByteSlice noteIn(ByteSlice value) {
        return value.slice(BATCH_OVERHEAD_BYTES, value.length() - BATCH_OVERHEAD_BYTES);
    }

    /**
     * Encodes a batch.
     *
     * @param commands in order
     * @return the value
     */
    public static ByteSlice encode(List<ProposedCommand> commands) {
        if (commands.isEmpty()) {
            return NO_OP;
        }
        int size = BATCH_OVERHEAD_BYTES;
        for (ProposedCommand command : commands) {
            size += COMMAND_OVERHEAD_BYTES + command.command().length();
        }
        ByteBuffer out = ByteBuffer.allocate(size);
        out.putInt(commands.size());
        for (ProposedCommand command : commands) {
            put(out, command);
        }
        return ByteSlice.of(out.array());
    }

    /**
     * Decodes a batch; commands are views of the value.
     *
     * @param value as {@link #encode} made it
     * @return the commands in order; none if it is a note
     * @throws MalformedMessageException if it is anything else
     */
    public static List<ProposedCommand> decode(ByteSlice value) throws MalformedMessageException {
        ByteBuffer in = value.asByteBuffer();
        try {
            int count = in.getInt();
            if (count == NOTE_MARK) {
                return List.of();
            }
            if (count < 0 || count > in.remaining() / COMMAND_OVERHEAD_BYTES) {
                throw new MalformedMessageException(
                        "batch of " + value.length() + " bytes claims " + count + " commands");
            }
            List<ProposedCommand> commands = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                commands.add(get(in, value));
            }
            if (in.hasRemaining()) {
                throw new MalformedMessageException("batch has " + in.remaining() + " bytes too many");
            }
            return commands;
        } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            throw new MalformedMessageException("batch of " + value.length() + " bytes is cut short");
        }
    }

    /**
     * Tells what may stand at a position from what a defect or a stranger made up: looks at counts, lengths, the range
     * of numbers and the members of a membership, but at no command. Copies and keeps nothing.
     *
     * @param value the value of a position
     * @throws MalformedMessageException if it is no batch, no membership and no note
     */
    public static void check(ByteSlice value) throws MalformedMessageException {
        if (value.length() < BATCH_OVERHEAD_BYTES) {
            throw new MalformedMessageException("value of " + value.length() + " bytes is no batch");
        }
        ByteBuffer in = value.asByteBuffer();
        int count = in.getInt();
        if (count == MEMBERSHIP_MARK) {
            decodeMembership(value);
        } else if (count != NOTE_MARK) {
            checkCommands(in, count, value.length());
        }
    }

    private static void checkCommands(ByteBuffer in, int count, int bytes) throws MalformedMessageException {
        if (count < 0 || count > in.remaining() / COMMAND_OVERHEAD_BYTES) {
            throw new MalformedMessageException("value of " + bytes + " bytes claims " + count + " commands");
        }
        for (int i = 0; i < count; i++) {
            if (in.remaining() < COMMAND_OVERHEAD_BYTES) {
                throw new MalformedMessageException("batch of " + bytes + " bytes is cut short");
            }
            int proposer = in.getInt();
            in.getLong();
            checkNumbers(proposer, in.getInt(), in.getLong());
            int length = in.getInt();
            if (length < 0 || length > in.remaining()) {
                throw new MalformedMessageException("command of " + length + " bytes in a batch of " + bytes);
            }
            in.position(in.position() + length);
        }
        if (in.hasRemaining()) {
            throw new MalformedMessageException("batch has " + in.remaining() + " bytes too many");
        }
    }

    /**
     * @param proposer of a command
     * @param stream of the command
     * @param sequence of the command
     * @throws MalformedMessageException if no replica can have proposed such a command
     */
    public static void checkNumbers(int proposer, int stream, long sequence) throws MalformedMessageException {
        if (proposer < 1 || proposer > Membership.MAX_REPLICA_ID || stream < 0 || sequence < 1) {
            throw new MalformedMessageException(
                    "command of replica " + proposer + " in stream " + stream + " with sequence " + sequence);
        }
    }

    /**
     * Writes one command in the batch's form.
     *
     * @param out with room for {@link #COMMAND_OVERHEAD_BYTES} and the command
     * @param command the command
     */
    public static void put(ByteBuffer out, ProposedCommand command) {
        putBefore(out, command);
        ByteSlice bytes = command.command();
        out.put(bytes.array(), bytes.offset(), bytes.length());
    }

    /**
     * Writes what stands before a command's own bytes.
     *
     * @param out with room for {@link #COMMAND_OVERHEAD_BYTES}
     * @param command the command
     */
    public static void putBefore(ByteBuffer out, ProposedCommand command) {
        out.putInt(command.proposer());
        out.putLong(command.incarnation());
        out.putInt(command.stream());
        out.putLong(command.sequence());
        out.putInt(command.command().length());
    }

    /**
     * Reads one command.
     *
     * @param in a buffer over {@code frame} from its first byte
     * @param frame what the command's bytes will be a view of
     * @return the command
     * @throws BufferUnderflowException if the frame is cut short
     * @throws IndexOutOfBoundsException if a length is wrong
     */
    public static ProposedCommand get(ByteBuffer in, ByteSlice frame) {
        int proposer = in.getInt();
        long incarnation = in.getLong();
        int stream = in.getInt();
        long sequence = in.getLong();
        int length = in.getInt();
        ByteSlice command = frame.slice(in.position(), length);
        in.position(in.position() + length);
        return new ProposedCommand(proposer, incarnation, stream, sequence, command);
    }
}
