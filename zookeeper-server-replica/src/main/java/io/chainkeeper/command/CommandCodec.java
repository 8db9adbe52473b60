package io.chainkeeper.command;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.release.Release;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The wire format of commands. Stateless; safe for use by any thread. All numbers are big-endian.
 *
 * <pre>
 * version          byte   {@link #VERSION}
 * type             byte   1 request, 2 attach, 3 expire, 4 orphan, 5 replica started, 6 cluster formed, 7 digest audit,
 *                         8 digest report, 9 plan ensemble, 10 drop plan, 11 plan progress, 12 no-op,
 *                         13 request of a local session, 14 and 15 as 1 and 13 with lacked schemes,
 *                         16 as 5 with maxTransactionBytes, 17 and 18 as 14 and 15 with access rules,
 *                         19 replicate configuration, 20 as 16 with schemes, 21 as 20 with levels (StartedCodec),
 *                         22 as 6 with a level, 23 raise feature level
 * wallClockMillis  long
 * then by type:
 *   request          sessionId long, cxid int, opcode int, quotaRefusedOp int,
 *                    authCount int (-1: null), that many (scheme string, id string),
 *                    payloadLength int (-1: null), payload, with 14, 15, 17 and 18: lackedSchemes int,
 *                    with 17 and 18: skipsLists byte (0 or 1), anySaslUserAs string
 *   attach           sessionId long, timeoutMillis int
 *   expire           sessionId long, owner int, epoch long
 *   orphan           replica int, incarnation long
 *   replica started  executionProfile long, former {@link ImportedState}, count int, goesWithout int each,
 *                    with 16 and 20: maxTransactionBytes long,
 *                    with 20: schemeCount int, that many (scheme string, provider string)
 *   cluster formed   clusterId 2 longs, executionProfile long, memberCount int, members int each,
 *                    configuration string
 *                    replaces 2 longs (both 0: null), origin {@link ImportedState}
 *   digest audit     nothing
 *   digest report    auditPosition long, treeDigest long, sideDigest long
 *   plan ensemble    sessionId long, cxid int, configuration string
 *   drop plan        sessionId long, cxid int
 *   plan progress    sessionId long, cxid int
 *   no-op            nothing
 *   replicate configuration  configuration string
 * string: byteLength int (-1: null), UTF-8
 * </pre>
 */
public final class CommandCodec {
    /** The only version so far. */
    public static final byte VERSION = 1;

    /** Upper bound of what a request adds to its payload, identities not counted. */
    public static final int REQUEST_OVERHEAD_BYTES = 42;

    /** Schemes that a start may say: all replicas keep them. */
    public static final int MAX_SCHEMES = 64;

    /** Bytes of a scheme's name, and of what is said of its provider, in UTF-8. */
    public static final int MAX_SCHEME_BYTES = 1024;

    private static final byte REQUEST = 1;
    private static final byte ATTACH = 2;
    private static final byte EXPIRE = 3;
    private static final byte ORPHAN = 4;
    private static final byte CLUSTER_FORMED = 6;
    private static final byte DIGEST_AUDIT = 7;
    private static final byte DIGEST_REPORT = 8;
    private static final byte PLAN_ENSEMBLE = 9;
    private static final byte DROP_PLAN = 10;
    private static final byte PLAN_PROGRESS = 11;
    private static final byte NO_OP = 12;
    private static final byte LOCAL_REQUEST = 13;
    private static final byte LACKING_REQUEST = 14;
    private static final byte LOCAL_LACKING_REQUEST = 15;
    private static final byte REQUEST_WITH_ACCESS = 17;
    private static final byte LOCAL_REQUEST_WITH_ACCESS = 18;
    private static final byte REPLICATE_CONFIGURATION = 19;
    private static final byte CLUSTER_FORMED_AT_LEVEL = 22;
    private static final byte RAISE_FEATURE_LEVEL = 23;

    private static final int PREFIX_BYTES = 10;

    /** A level and the length of its release's name. */
    private static final int LEVEL_BYTES = 2 * Integer.BYTES;

    /** Says that a string or list is none. */
    static final int NULL = -1;

    private static final UUID NO_UUID = new UUID(0, 0);

    private CommandCodec() {}

    /**
     * Encodes a command.
     *
     * @param command the command
     * @return its bytes
     */
    public static ByteSlice encode(Command command) {
        ByteBuffer out;
        if (command instanceof Command.ClientRequest request) {
            out = encodeRequest(request);
        } else if (command instanceof Command.Attach attach) {
            out = start(ATTACH, attach.wallClockMillis(), 12);
            out.putLong(attach.sessionId()).putInt(attach.timeoutMillis());
        } else if (command instanceof Command.Expire expire) {
            out = start(EXPIRE, expire.wallClockMillis(), 20);
            out.putLong(expire.sessionId()).putInt(expire.owner()).putLong(expire.epoch());
        } else if (command instanceof Command.Orphan orphan) {
            out = start(ORPHAN, orphan.wallClockMillis(), 12);
            out.putInt(orphan.replica()).putLong(orphan.incarnation());
        } else if (command instanceof Command.ReplicaStarted started) {
            out = StartedCodec.encode(started);
        } else if (command instanceof Command.DigestAudit audit) {
            out = start(DIGEST_AUDIT, audit.wallClockMillis(), 0);
        } else if (command instanceof Command.NoOp noOp) {
            out = start(NO_OP, noOp.wallClockMillis(), 0);
        } else if (command instanceof Command.DigestReport report) {
            out = start(DIGEST_REPORT, report.wallClockMillis(), 24);
            out.putLong(report.auditPosition()).putLong(report.treeDigest()).putLong(report.sideDigest());
        } else if (command instanceof Command.ClusterFormed formed) {
            out = encodeFormed(formed);
        } else {
            out = encodePlanning(command);
        }
        return ByteSlice.of(out.array());
    }

    /**
     * Encodes a request whose proposer keeps it until it comes back.
     *
     * @param request the request
     * @return the request and its bytes; the given payload is not kept
     */
    public static EncodedRequest encodeKept(Command.ClientRequest request) {
        ByteBuffer out = encodeRequest(request);
        ByteSlice bytes = ByteSlice.of(out.array());
        ByteSlice payload = request.payload();
        return new EncodedRequest(
                payload == null ? request : request.with(bytes.slice(out.reset().position(), payload.length())), bytes);
    }

    private static ByteBuffer encodePlanning(Command command) {
        if (command instanceof Command.PlanEnsemble plan) {
            byte[] configuration = plan.configuration().getBytes(StandardCharsets.UTF_8);
            ByteBuffer out = start(PLAN_ENSEMBLE, plan.wallClockMillis(), 16 + configuration.length);
            out.putLong(plan.sessionId()).putInt(plan.cxid());
            return out.putInt(configuration.length).put(configuration);
        }
        if (command instanceof Command.ReplicateConfiguration replicate) {
            byte[] configuration = replicate.configuration().getBytes(StandardCharsets.UTF_8);
            ByteBuffer out = start(REPLICATE_CONFIGURATION, replicate.wallClockMillis(), 4 + configuration.length);
            return out.putInt(configuration.length).put(configuration);
        }
        if (command instanceof Command.RaiseFeatureLevel raise) {
            return encodeRaise(raise);
        }
        if (command instanceof Command.DropPlan drop) {
            ByteBuffer out = start(DROP_PLAN, drop.wallClockMillis(), 12);
            return out.putLong(drop.sessionId()).putInt(drop.cxid());
        }
        Command.PlanProgress progress = (Command.PlanProgress) command;
        ByteBuffer out = start(PLAN_PROGRESS, progress.wallClockMillis(), 12);
        return out.putLong(progress.sessionId()).putInt(progress.cxid());
    }

    static ByteBuffer start(byte type, long wallClockMillis, int restBytes) {
        ByteBuffer out = ByteBuffer.allocate(PREFIX_BYTES + restBytes);
        return out.put(VERSION).put(type).putLong(wallClockMillis);
    }

    /** Marks where the payload begins. */
    private static ByteBuffer encodeRequest(Command.ClientRequest request) {
        List<AuthId> ids = request.authIds();
        byte[][] strings = ids == null ? new byte[0][] : new byte[2 * ids.size()][];
        boolean ruled = !request.access().equals(AccessRules.ALL_LISTS_HOLD);
        boolean lacking = ruled || request.lackedSchemes() != 0;
        byte[] saslUser = bytes(request.access().anySaslUserAs());
        int size = REQUEST_OVERHEAD_BYTES - PREFIX_BYTES - (lacking ? 0 : Integer.BYTES);
        size += ruled ? 1 + Integer.BYTES + (saslUser == null ? 0 : saslUser.length) : 0;
        for (int i = 0; i < strings.length; i++) {
            AuthId id = ids.get(i / 2);
            String text = i % 2 == 0 ? id.scheme() : id.id();
            strings[i] = bytes(text);
            size += 4 + (text == null ? 0 : strings[i].length);
        }
        ByteSlice payload = request.payload();
        size += payload == null ? 0 : payload.length();
        ByteBuffer out = start(requestType(request.localSession(), lacking, ruled), request.wallClockMillis(), size);
        out.putLong(request.sessionId()).putInt(request.cxid()).putInt(request.opcode());
        out.putInt(request.quotaRefusedOp());
        out.putInt(ids == null ? NULL : ids.size());
        for (byte[] text : strings) {
            putString(text, out);
        }
        out.putInt(payload == null ? NULL : payload.length()).mark();
        if (payload != null) {
            out.put(payload.array(), payload.offset(), payload.length());
        }
        if (lacking) {
            out.putInt(request.lackedSchemes());
        }
        if (ruled) {
            out.put((byte) (request.access().skipsLists() ? 1 : 0));
            putString(saslUser, out);
        }
        return out;
    }

    private static byte requestType(boolean local, boolean lacking, boolean ruled) {
        if (ruled) {
            return local ? LOCAL_REQUEST_WITH_ACCESS : REQUEST_WITH_ACCESS;
        }
        if (lacking) {
            return local ? LOCAL_LACKING_REQUEST : LACKING_REQUEST;
        }
        return local ? LOCAL_REQUEST : REQUEST;
    }

    static byte[] bytes(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    static void putString(byte[] text, ByteBuffer out) {
        out.putInt(text == null ? NULL : text.length);
        if (text != null) {
            out.put(text);
        }
    }

    private static ByteBuffer encodeFormed(Command.ClusterFormed formed) {
        byte[] configuration = formed.configuration().getBytes(StandardCharsets.UTF_8);
        boolean first = formed.level().equals(FeatureLevel.FIRST);
        byte[] release = bytes(formed.level().release());
        ByteBuffer out = start(
                first ? CLUSTER_FORMED : CLUSTER_FORMED_AT_LEVEL,
                formed.wallClockMillis(),
                48
                        + ImportedState.BYTES
                        + 4 * formed.members().size()
                        + configuration.length
                        + (first ? 0 : LEVEL_BYTES + release.length));
        out.putLong(formed.clusterId().getMostSignificantBits())
                .putLong(formed.clusterId().getLeastSignificantBits());
        out.putLong(formed.executionProfile()).putInt(formed.members().size());
        formed.members().forEach(out::putInt);
        out.putInt(configuration.length).put(configuration);
        UUID replaces = formed.replaces() == null ? NO_UUID : formed.replaces();
        out.putLong(replaces.getMostSignificantBits()).putLong(replaces.getLeastSignificantBits());
        ImportedState.put(formed.origin(), out);
        if (!first) {
            out.putInt(formed.level().number());
            putString(release, out);
        }
        return out;
    }

    private static ByteBuffer encodeRaise(Command.RaiseFeatureLevel raise) {
        byte[] release = bytes(raise.level().release());
        int size = LEVEL_BYTES
                + release.length
                + Integer.BYTES * (1 + raise.members().size());
        ByteBuffer out = start(RAISE_FEATURE_LEVEL, raise.wallClockMillis(), size);
        out.putInt(raise.level().number());
        putString(release, out);
        out.putInt(raise.members().size());
        raise.members().forEach(out::putInt);
        return out;
    }

    private static FeatureLevel level(ByteBuffer in) throws MalformedMessageException {
        int number = in.getInt();
        String release = string(in);
        if (number < FeatureRange.FIRST_LEVEL || !Release.isName(release)) {
            throw new MalformedMessageException("command with feature level " + number + " of no release");
        }
        return new FeatureLevel(number, release);
    }

    /**
     * Decodes a command; its payload is a view of the given bytes.
     *
     * @param bytes exactly one encoded command
     * @return the command
     * @throws MalformedMessageException if the bytes are anything else
     */
    public static Command decode(ByteSlice bytes) throws MalformedMessageException {
        ByteBuffer in = bytes.asByteBuffer();
        try {
            byte version = in.get();
            if (version != VERSION) {
                throw new UnknownCommandException("its version is " + version + ", not " + VERSION);
            }
            Command command = decodeBody(in.get(), in.getLong(), in, bytes);
            if (in.hasRemaining()) {
                throw new MalformedMessageException("command has " + in.remaining() + " bytes too many");
            }
            return command;
        } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            throw new MalformedMessageException("command of " + bytes.length() + " bytes is cut short");
        }
    }

    private static Command decodeBody(byte type, long wallClock, ByteBuffer in, ByteSlice bytes)
            throws MalformedMessageException {
        return switch (type) {
            case REQUEST,
                    LOCAL_REQUEST,
                    LACKING_REQUEST,
                    LOCAL_LACKING_REQUEST,
                    REQUEST_WITH_ACCESS,
                    LOCAL_REQUEST_WITH_ACCESS -> decodeRequest(wallClock, type, in, bytes);
            case ATTACH -> new Command.Attach(wallClock, in.getLong(), in.getInt());
            case EXPIRE -> new Command.Expire(wallClock, in.getLong(), in.getInt(), in.getLong());
            case ORPHAN -> new Command.Orphan(wallClock, in.getInt(), in.getLong());
            case StartedCodec.PLAIN, StartedCodec.WITH_LIMIT, StartedCodec.WITH_SCHEMES, StartedCodec.WITH_LEVELS ->
                StartedCodec.decode(wallClock, type, in);
            case CLUSTER_FORMED, CLUSTER_FORMED_AT_LEVEL -> decodeFormed(wallClock, type, in);
            case DIGEST_AUDIT -> new Command.DigestAudit(wallClock);
            case DIGEST_REPORT -> new Command.DigestReport(wallClock, in.getLong(), in.getLong(), in.getLong());
            case PLAN_ENSEMBLE -> new Command.PlanEnsemble(wallClock, in.getLong(), in.getInt(), text(in));
            case DROP_PLAN -> new Command.DropPlan(wallClock, in.getLong(), in.getInt());
            case PLAN_PROGRESS -> new Command.PlanProgress(wallClock, in.getLong(), in.getInt());
            case NO_OP -> new Command.NoOp(wallClock);
            case REPLICATE_CONFIGURATION -> new Command.ReplicateConfiguration(wallClock, text(in));
            case RAISE_FEATURE_LEVEL -> new Command.RaiseFeatureLevel(wallClock, level(in), ids(in, "members"));
            default -> throw new UnknownCommandException("its type is " + type);
        };
    }

    private static Command decodeRequest(long wallClock, byte type, ByteBuffer in, ByteSlice bytes)
            throws MalformedMessageException {
        long sessionId = in.getLong();
        int cxid = in.getInt();
        int opcode = in.getInt();
        int quotaRefusedOp = in.getInt();
        int authCount = count(in, 8, "identities");
        List<AuthId> ids = authCount == NULL ? null : new ArrayList<>(authCount);
        for (int i = 0; i < authCount; i++) {
            ids.add(new AuthId(string(in), string(in)));
        }
        int length = count(in, 1, "payload bytes");
        ByteSlice payload = null;
        if (length != NULL) {
            payload = bytes.slice(in.position(), length);
            in.position(in.position() + length);
        }
        boolean local = type == LOCAL_REQUEST || type == LOCAL_LACKING_REQUEST || type == LOCAL_REQUEST_WITH_ACCESS;
        int lacked = type == REQUEST || type == LOCAL_REQUEST ? 0 : in.getInt();
        boolean ruled = type == REQUEST_WITH_ACCESS || type == LOCAL_REQUEST_WITH_ACCESS;
        return new Command.ClientRequest(
                wallClock,
                sessionId,
                cxid,
                opcode,
                ids,
                payload,
                quotaRefusedOp,
                local,
                lacked,
                ruled ? decodeRules(in) : AccessRules.ALL_LISTS_HOLD);
    }

    private static AccessRules decodeRules(ByteBuffer in) throws MalformedMessageException {
        byte skips = in.get();
        if (skips != 0 && skips != 1) {
            throw new MalformedMessageException("command says " + skips + " instead of whether access lists hold");
        }
        return new AccessRules(skips == 1, string(in));
    }

    private static Command decodeFormed(long wallClock, byte type, ByteBuffer in) throws MalformedMessageException {
        UUID clusterId = new UUID(in.getLong(), in.getLong());
        long profile = in.getLong();
        List<Integer> members = ids(in, "members");
        String configuration = text(in);
        UUID replaces = new UUID(in.getLong(), in.getLong());
        return new Command.ClusterFormed(
                wallClock,
                clusterId,
                profile,
                members,
                configuration,
                replaces.equals(NO_UUID) ? null : replaces,
                ImportedState.get(in),
                type == CLUSTER_FORMED ? FeatureLevel.FIRST : level(in));
    }

    static List<Integer> ids(ByteBuffer in, String what) throws MalformedMessageException {
        int count = count(in, Integer.BYTES, what);
        if (count == NULL) {
            throw new MalformedMessageException("command without its " + what);
        }
        List<Integer> ids = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            ids.add(in.getInt());
        }
        return ids;
    }

    private static String text(ByteBuffer in) throws MalformedMessageException {
        String text = string(in);
        if (text == null) {
            throw new MalformedMessageException("command without its configuration");
        }
        return text;
    }

    static String string(ByteBuffer in) throws MalformedMessageException {
        int length = count(in, 1, "string bytes");
        if (length == NULL) {
            return null;
        }
        byte[] text = new byte[length];
        in.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    static int count(ByteBuffer in, int bytesEach, String what) throws MalformedMessageException {
        int count = in.getInt();
        if (count < NULL || count > in.remaining() / bytesEach) {
            throw new MalformedMessageException(
                    "command claims " + count + " " + what + " with " + in.remaining() + " bytes left");
        }
        return count;
    }
}
