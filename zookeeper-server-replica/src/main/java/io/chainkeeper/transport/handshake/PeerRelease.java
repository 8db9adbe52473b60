package io.chainkeeper.transport.handshake;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.release.Release;
import io.chainkeeper.transport.WireRange;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * The part of a hello that says what the sender runs. A later release may append to it what this one does not know; it
 * is kept, because proofs cover the whole hello.
 *
 * <pre>
 *   length           2      of what follows, at most {@value #MAX_BYTES}
 *   release          string
 *   oldest, newest   4, 4   feature levels that it knows
 *   level            4, string   in force, 0 if not known, and the release that brought it
 *   wire             2, 2   oldest and newest version of the frames that it speaks
 *   more                    of later releases
 * string: length 1, ASCII
 * </pre>
 *
 * @param release name of the sender's release
 * @param levels the feature levels that it knows
 * @param level the feature level in force, as far as the sender knows
 * @param wire versions of the frames that it speaks
 * @param more what later releases say
 */
public record PeerRelease(String release, FeatureRange levels, FeatureLevel level, WireRange wire, ByteSlice more) {
    static final int MAX_BYTES = 256;

    private static final int FIXED_BYTES = 1 + 3 * Integer.BYTES + 1 + 2 * Short.BYTES;

    /** This release, where nothing is known of the cluster. */
    static final PeerRelease OWN =
            new PeerRelease(Release.name(), Release.levels(), FeatureLevel.NONE, WireRange.OWN, ByteSlice.EMPTY);

    /** A release that says no more than this one does. */
    public PeerRelease(String release, FeatureRange levels, FeatureLevel level, WireRange wire) {
        this(release, levels, level, wire, ByteSlice.EMPTY);
    }

    private int bytes() {
        return FIXED_BYTES + release.length() + level.release().length() + more.length();
    }

    int encodedBytes() {
        return Short.BYTES + bytes();
    }

    void put(ByteBuf out) {
        out.writeShort(bytes());
        put(release, out);
        out.writeInt(levels.oldest()).writeInt(levels.newest()).writeInt(level.number());
        put(level.release(), out);
        out.writeShort(wire.oldest()).writeShort(wire.newest());
        out.writeBytes(more.array(), more.offset(), more.length());
    }

    private static void put(String text, ByteBuf out) {
        out.writeByte(text.length()).writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    static PeerRelease get(ByteBuf body) throws MalformedMessageException {
        int length = body.readableBytes() < Short.BYTES ? 0 : body.readUnsignedShort();
        if (length < FIXED_BYTES || length > MAX_BYTES || length > body.readableBytes()) {
            throw new MalformedMessageException("sent a malformed handshake (" + length + " bytes about its release)");
        }
        ByteBuf in = body.readSlice(length);
        try {
            String release = string(in);
            FeatureRange levels = new FeatureRange(in.readInt(), in.readInt());
            FeatureLevel level = new FeatureLevel(in.readInt(), string(in));
            WireRange wire = new WireRange(in.readUnsignedShort(), in.readUnsignedShort());
            byte[] more = new byte[in.readableBytes()];
            in.readBytes(more);
            if (!Release.isName(release)) {
                throw new IllegalArgumentException("release");
            }
            return new PeerRelease(release, levels, level, wire, ByteSlice.of(more));
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new MalformedMessageException("sent a malformed handshake (what it says of its release)");
        }
    }

    private static String string(ByteBuf in) {
        int length = in.readUnsignedByte();
        return in.readCharSequence(length, StandardCharsets.US_ASCII).toString();
    }
}
