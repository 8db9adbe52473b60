package io.chainkeeper.command;

import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.release.Release;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The wire format of {@link Command.ReplicaStarted}, in all its types; see {@link CommandCodec}. Stateless. */
final class StartedCodec {
    static final byte PLAIN = 5;
    static final byte WITH_LIMIT = 16;
    static final byte WITH_SCHEMES = 20;

    /** As {@link #WITH_SCHEMES}, then oldest int, newest int, release string. */
    static final byte WITH_LEVELS = 21;

    private StartedCodec() {}

    static ByteBuffer encode(Command.ReplicaStarted started) {
        List<Integer> without = started.goesWithout();
        byte type = type(started);
        byte[] release = type == WITH_LEVELS ? CommandCodec.bytes(started.release()) : new byte[0];
        List<byte[]> schemes = new ArrayList<>();
        if (started.schemes() != null) {
            started.schemes()
                    .forEach((scheme, provider) ->
                            schemes.addAll(List.of(CommandCodec.bytes(scheme), CommandCodec.bytes(provider))));
        }
        int size = Long.BYTES + ImportedState.BYTES + Integer.BYTES * (1 + without.size());
        size += type == PLAIN ? 0 : Long.BYTES;
        size += saysSchemes(type) ? Integer.BYTES : 0;
        for (byte[] text : schemes) {
            size += Integer.BYTES + text.length;
        }
        size += type == WITH_LEVELS ? 3 * Integer.BYTES + release.length : 0;
        ByteBuffer out = CommandCodec.start(type, started.wallClockMillis(), size);
        out.putLong(started.executionProfile());
        ImportedState.put(started.former(), out);
        out.putInt(without.size());
        without.forEach(out::putInt);
        if (type != PLAIN) {
            out.putLong(started.maxTransactionBytes());
        }
        if (saysSchemes(type)) {
            out.putInt(
                    started.schemes() == null
                            ? CommandCodec.NULL
                            : started.schemes().size());
            schemes.forEach(text -> CommandCodec.putString(text, out));
        }
        if (type == WITH_LEVELS) {
            out.putInt(started.levels().oldest()).putInt(started.levels().newest());
            CommandCodec.putString(release, out);
        }
        return out;
    }

    private static byte type(Command.ReplicaStarted started) {
        if (started.levels() != null) {
            return WITH_LEVELS;
        }
        if (started.schemes() != null) {
            return WITH_SCHEMES;
        }
        return started.maxTransactionBytes() != 0 ? WITH_LIMIT : PLAIN;
    }

    private static boolean saysSchemes(byte type) {
        return type == WITH_SCHEMES || type == WITH_LEVELS;
    }

    static Command decode(long wallClock, byte type, ByteBuffer in) throws MalformedMessageException {
        long profile = in.getLong();
        ImportedState former = ImportedState.get(in);
        List<Integer> goesWithout = CommandCodec.ids(in, "replicas");
        long maxTransactionBytes = type == PLAIN ? 0 : in.getLong();
        SortedMap<String, String> schemes = saysSchemes(type) ? schemes(in, type == WITH_LEVELS) : null;
        FeatureRange levels = type == WITH_LEVELS ? levels(in) : null;
        String release = type == WITH_LEVELS ? CommandCodec.string(in) : null;
        if (levels != null && !Release.isName(release)) {
            throw new MalformedMessageException("command of a start that names no release");
        }
        return new Command.ReplicaStarted(
                wallClock, profile, former, goesWithout, maxTransactionBytes, schemes, release, levels);
    }

    private static FeatureRange levels(ByteBuffer in) throws MalformedMessageException {
        int oldest = in.getInt();
        int newest = in.getInt();
        if (oldest < FeatureRange.FIRST_LEVEL || newest < oldest) {
            throw new MalformedMessageException("command with feature levels from " + oldest + " to " + newest);
        }
        return new FeatureRange(oldest, newest);
    }

    private static SortedMap<String, String> schemes(ByteBuffer in, boolean mayBeNull)
            throws MalformedMessageException {
        int count = CommandCodec.count(in, 2 * Integer.BYTES, "schemes");
        if (count > CommandCodec.MAX_SCHEMES) {
            throw new MalformedMessageException(
                    "command with " + count + " schemes, more than " + CommandCodec.MAX_SCHEMES);
        }
        if (count == CommandCodec.NULL && mayBeNull) {
            return null;
        }
        SortedMap<String, String> schemes = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            String scheme = ofScheme(in);
            String provider = ofScheme(in);
            if (scheme == null || provider == null) {
                throw new MalformedMessageException("command with a scheme that has no name or no provider");
            }
            schemes.put(scheme, provider);
        }
        return schemes;
    }

    private static String ofScheme(ByteBuffer in) throws MalformedMessageException {
        int begin = in.position();
        String text = CommandCodec.string(in);
        if (in.position() - begin - Integer.BYTES > CommandCodec.MAX_SCHEME_BYTES) {
            throw new MalformedMessageException(
                    "command with a scheme of more than " + CommandCodec.MAX_SCHEME_BYTES + " bytes");
        }
        return text;
    }
}
