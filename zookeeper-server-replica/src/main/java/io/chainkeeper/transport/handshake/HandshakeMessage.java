package io.chainkeeper.transport.handshake;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.TransportSettings;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/**
 * What two replicas say to each other before frames flow. The side that connects sends {@link Hello}; the other answers
 * with its own or with {@link Refused}; the first ends with {@link Accepted} or {@link Refused}. In front of the hellos
 * both may exchange {@link Token}s, beginning with the side that connects.
 *
 * <p>Each message is an envelope, the same in all versions, and a body:
 *
 * <pre>
 *   magic  "CHKP"   4
 *   version         2
 *   kind            1    1 hello, 2 accepted, 3 refused, 4 token, 5 proved refusal
 *   body length     2    at most {@value #MAX_BODY_BYTES}, of a token {@value #MAX_TOKEN_BODY_BYTES}
 *   body
 *     hello: sender 4, receiver 4, incarnation 8, cluster 8, execution profile 8,
 *            purpose 1 (1 link, 2 state), protocol 2 + UTF-8, {@link PeerRelease}, {@link Credentials}
 *            (a hello begins with the sender's id in all versions)
 *     accepted: number of proofs 1, proofs 32 each
 *     refused: kind 1 (1 not a member, 3 linked already, else elsewhere), the reason as UTF-8
 *            (in version 1 the reason alone, since then the same in all versions)
 *     token: last 1 (1 if the accepting side is content), the SASL token
 *     proved refusal: who refuses 4, kind 1, reason 2 + UTF-8, number of proofs 1, proofs 32 each; only to a side whose
 *            hello says that it knows a secret
 * </pre>
 */
public sealed interface HandshakeMessage {
    /** First bytes of every message: "CHKP". */
    int MAGIC = 0x43484b50;

    /**
     * Version of the handshake. What follows it has versions of its own, which the hello says: this one changes only if
     * a hello cannot say what it has to by appending to {@link PeerRelease}.
     */
    int VERSION = 5;

    /** Bytes before the body. */
    int ENVELOPE_BYTES = 9;

    /** Longest body. */
    int MAX_BODY_BYTES = 1024;

    /** Longest body of a token: Kerberos tickets may be long. */
    int MAX_TOKEN_BODY_BYTES = 65_535;

    /** Longest reason, in bytes of UTF-8. */
    int MAX_REASON_BYTES = 600;

    /** The id of a sender that cannot be told from its hello. */
    int UNKNOWN_SENDER = -1;

    byte KIND_HELLO = 1;
    byte KIND_ACCEPTED = 2;
    byte KIND_REFUSED = 3;
    byte KIND_TOKEN = 4;
    byte KIND_PROVED_REFUSAL = 5;

    int REFUSAL_FIXED_BYTES = Integer.BYTES + 1 + Short.BYTES;
    int HELLO_FIXED_BYTES = 2 * Integer.BYTES + 3 * Long.BYTES + 1 + Short.BYTES;

    /** The version in which a refusal had no kind. */
    int VERSION_WITHOUT_KIND = 1;

    byte REFUSED_NOT_A_MEMBER = 1;
    byte REFUSED_ELSEWHERE = 2;
    byte REFUSED_LINKED_ALREADY = 3;
    byte REFUSED_UNPROVED = 4;

    /** Who refuses is too old for the other side; a release that does not know it takes it for "elsewhere". */
    byte REFUSED_AS_TOO_OLD = 5;

    /** What a connection is for. */
    enum Purpose {
        /** The frames of the order. */
        LINK(1),

        /** Requests for state and their answers. */
        STATE(2);

        private final byte code;

        Purpose(int code) {
            this.code = (byte) code;
        }

        private static Purpose of(byte code) throws MalformedMessageException {
            for (Purpose purpose : values()) {
                if (purpose.code == code) {
                    return purpose;
                }
            }
            throw new MalformedMessageException("sent a malformed handshake (purpose " + code + ")");
        }
    }

    /** Who the sender is, which replica it wants to reach, and what for. */
    record Hello(
            int sender,
            int receiver,
            long incarnation,
            long clusterId,
            long executionProfile,
            Purpose purpose,
            String protocol,
            PeerRelease release,
            Credentials credentials)
            implements HandshakeMessage {
        /** The hello of this release, where nothing is known of the cluster. */
        public Hello(
                int sender,
                int receiver,
                long incarnation,
                long clusterId,
                long executionProfile,
                Purpose purpose,
                String protocol,
                Credentials credentials) {
            this(
                    sender,
                    receiver,
                    incarnation,
                    clusterId,
                    executionProfile,
                    purpose,
                    protocol,
                    PeerRelease.OWN,
                    credentials);
        }

        /** The hello of a side that proves nothing. */
        public Hello(
                int sender,
                int receiver,
                long incarnation,
                long clusterId,
                long executionProfile,
                Purpose purpose,
                String protocol) {
            this(sender, receiver, incarnation, clusterId, executionProfile, purpose, protocol, Credentials.NONE);
        }

        /**
         * @param proofs see {@link Credentials}
         * @return the same with these proofs
         */
        public Hello with(ByteSlice proofs) {
            return new Hello(
                    sender,
                    receiver,
                    incarnation,
                    clusterId,
                    executionProfile,
                    purpose,
                    protocol,
                    release,
                    credentials.with(proofs));
        }
    }

    /**
     * The side that connected is content: frames may flow both ways.
     *
     * @param proofs that it knows the shared secret, see {@link Credentials}
     */
    record Accepted(ByteSlice proofs) implements HandshakeMessage {
        /** From a side that proves nothing. */
        public Accepted() {
            this(ByteSlice.EMPTY);
        }
    }

    /**
     * The connection is about to be closed.
     *
     * @param kind whether the outcome may be another one later
     * @param reason what differs and what to do, one printable line; tells a stranger nothing about the cluster
     * @param report the same for the own log, with what the other side is not told; not sent
     */
    record Refused(RefusalKind kind, String reason, String report) implements HandshakeMessage {
        /** A refusal whose report hides nothing. */
        public Refused(RefusalKind kind, String reason) {
            this(kind, reason, reason);
        }

        /**
         * @param reason for the other side
         * @param report for the own log
         * @return a refusal of a peer that belongs elsewhere
         */
        public static Refused elsewhere(String reason, String report) {
            return new Refused(RefusalKind.ELSEWHERE, reason, report);
        }

        /**
         * @param reason what differs and what to do
         * @return a refusal of a peer that belongs elsewhere
         */
        public static Refused elsewhere(String reason) {
            return new Refused(RefusalKind.ELSEWHERE, reason);
        }
    }

    /**
     * A refusal by the side that has accepted, which shows that it comes from a member.
     *
     * @param sender id of the replica that refuses
     * @param refused the refusal
     * @param proofs that the sender knows the shared secret, see {@link SecretProof}
     */
    record ProvedRefusal(int sender, Refused refused, ByteSlice proofs) implements HandshakeMessage {
        /**
         * @param more see {@link SecretProof}
         * @return the same with these proofs
         */
        public ProvedRefusal with(ByteSlice more) {
            return new ProvedRefusal(sender, refused, more);
        }
    }

    /**
     * A step of the authentication.
     *
     * @param last whether the accepting side, which sends it, is content
     * @param bytes what SASL says
     */
    record Token(boolean last, byte[] bytes) implements HandshakeMessage {}

    /**
     * A message of another version; nothing but its envelope is understood.
     *
     * @param version the sender's
     * @param sender the sender's id if it is a hello, else {@link #UNKNOWN_SENDER}
     */
    record OtherVersion(int version, int sender) implements HandshakeMessage {}

    /**
     * Appends a message.
     *
     * @param message anything but one of another version
     * @param out grows as needed
     */
    static void encode(HandshakeMessage message, ByteBuf out) {
        if (message instanceof Hello hello) {
            byte[] protocol = hello.protocol().getBytes(StandardCharsets.UTF_8);
            envelope(
                    KIND_HELLO,
                    HELLO_FIXED_BYTES
                            + protocol.length
                            + hello.release().encodedBytes()
                            + hello.credentials().encodedBytes(),
                    out);
            out.writeInt(hello.sender()).writeInt(hello.receiver()).writeLong(hello.incarnation());
            out.writeLong(hello.clusterId()).writeLong(hello.executionProfile());
            out.writeByte(hello.purpose().code).writeShort(protocol.length).writeBytes(protocol);
            hello.release().put(out);
            hello.credentials().put(out);
        } else if (message instanceof Accepted accepted) {
            envelope(KIND_ACCEPTED, 1 + accepted.proofs().length(), out);
            Credentials.putProofs(accepted.proofs(), out);
        } else if (message instanceof Refused refused) {
            ByteBuffer reason = truncatedUtf8(refused.reason());
            envelope(KIND_REFUSED, 1 + reason.remaining(), out);
            out.writeByte(code(refused.kind())).writeBytes(reason);
        } else if (message instanceof ProvedRefusal refusal) {
            ByteBuffer reason = truncatedUtf8(refusal.refused().reason());
            int bodyBytes = REFUSAL_FIXED_BYTES
                    + reason.remaining()
                    + 1
                    + refusal.proofs().length();
            envelope(KIND_PROVED_REFUSAL, bodyBytes, out);
            out.writeInt(refusal.sender()).writeByte(code(refusal.refused().kind()));
            out.writeShort(reason.remaining()).writeBytes(reason);
            Credentials.putProofs(refusal.proofs(), out);
        } else if (message instanceof Token token) {
            envelope(KIND_TOKEN, 1 + token.bytes().length, out);
            out.writeBoolean(token.last()).writeBytes(token.bytes());
        } else {
            throw new IllegalArgumentException("cannot encode " + message);
        }
    }

    private static byte code(RefusalKind kind) {
        return switch (kind) {
            case NOT_A_MEMBER -> REFUSED_NOT_A_MEMBER;
            case LINKED_ALREADY -> REFUSED_LINKED_ALREADY;
            case UNPROVED -> REFUSED_UNPROVED;
            case TOO_OLD -> REFUSED_AS_TOO_OLD;
            case ELSEWHERE, PEER_TOO_OLD, CLAIMED -> REFUSED_ELSEWHERE;
        };
    }

    private static void envelope(byte kind, int bodyBytes, ByteBuf out) {
        out.writeInt(MAGIC).writeShort(VERSION).writeByte(kind).writeShort(bodyBytes);
    }

    private static ByteBuffer truncatedUtf8(String text) {
        ByteBuffer bytes = ByteBuffer.allocate(MAX_REASON_BYTES);
        CharsetEncoder encoder = StandardCharsets.UTF_8.newEncoder();
        CoderResult result = encoder.encode(CharBuffer.wrap(printable(text)), bytes, true);
        if (result.isError()) {
            bytes.clear();
            bytes.put("unprintable reason".getBytes(StandardCharsets.UTF_8));
        }
        return bytes.flip();
    }

    /**
     * Takes a message off the front of a buffer.
     *
     * @param in bytes received so far; the reader index moves only past a complete message
     * @return the message, or null if more bytes are needed
     * @throws MalformedMessageException if the bytes cannot be the start of a message; the text says what they look
     *     like, without naming the peer
     */
    static HandshakeMessage decode(ByteBuf in) throws MalformedMessageException {
        checkMagic(in);
        if (in.readableBytes() < ENVELOPE_BYTES) {
            return null;
        }
        int start = in.readerIndex();
        int version = in.getUnsignedShort(start + 4);
        byte kind = in.getByte(start + 6);
        int bodyBytes = in.getUnsignedShort(start + 7);
        int maxBodyBytes = version == VERSION && kind == KIND_TOKEN ? MAX_TOKEN_BODY_BYTES : MAX_BODY_BYTES;
        if (bodyBytes > maxBodyBytes) {
            throw new MalformedMessageException("sent a handshake message of " + bodyBytes + " bytes where at most "
                    + maxBodyBytes + " are allowed");
        }
        if (in.readableBytes() < ENVELOPE_BYTES + bodyBytes) {
            return null;
        }
        in.skipBytes(ENVELOPE_BYTES);
        return decodeBody(version, kind, in.readSlice(bodyBytes));
    }

    private static void checkMagic(ByteBuf in) throws MalformedMessageException {
        int available = Math.min(Integer.BYTES, in.readableBytes());
        for (int i = 0; i < available; i++) {
            int expected = MAGIC >>> (24 - 8 * i) & 0xff;
            if (in.getUnsignedByte(in.readerIndex() + i) != expected) {
                throw new MalformedMessageException(describeStranger(in));
            }
        }
    }

    private static String describeStranger(ByteBuf in) {
        int first = in.getUnsignedByte(in.readerIndex());
        int second = in.readableBytes() > 1 ? in.getUnsignedByte(in.readerIndex() + 1) : -1;
        boolean tlsRecord = (first == 0x15 || first == 0x16) && (second == 0x03 || second == -1);
        if (tlsRecord) {
            return "speaks TLS while the other side does not: set sslQuorum to the same value on all servers";
        }
        StringBuilder text = new StringBuilder("does not speak the replica protocol (first bytes");
        for (int i = 0; i < Math.min(8, in.readableBytes()); i++) {
            text.append(String.format(" %02x", in.getUnsignedByte(in.readerIndex() + i)));
        }
        return text.append("): only Chainkeeper servers of this ensemble may use the first port of a server.N line")
                .toString();
    }

    private static HandshakeMessage decodeBody(int version, byte kind, ByteBuf body) throws MalformedMessageException {
        if (kind == KIND_REFUSED) {
            return decodeRefused(version, body);
        }
        if (version != VERSION) {
            boolean bearsSender = kind == KIND_HELLO && body.readableBytes() >= Integer.BYTES;
            return new OtherVersion(version, bearsSender ? body.readInt() : UNKNOWN_SENDER);
        }
        switch (kind) {
            case KIND_HELLO:
                return decodeHello(body);
            case KIND_ACCEPTED:
                return new Accepted(Credentials.getProofs(body));
            case KIND_TOKEN:
                return decodeToken(body);
            case KIND_PROVED_REFUSAL:
                return decodeProvedRefusal(body);
            default:
                throw new MalformedMessageException("sent a malformed handshake (kind " + kind + ")");
        }
    }

    private static Token decodeToken(ByteBuf body) throws MalformedMessageException {
        if (!body.isReadable()) {
            throw new MalformedMessageException("sent a malformed handshake (empty token)");
        }
        boolean last = body.readByte() == 1;
        byte[] bytes = new byte[body.readableBytes()];
        body.readBytes(bytes);
        return new Token(last, bytes);
    }

    private static Refused decodeRefused(int version, ByteBuf body) {
        boolean bearsKind = version != VERSION_WITHOUT_KIND && body.isReadable();
        return refused(bearsKind ? body.readByte() : REFUSED_ELSEWHERE, body);
    }

    private static Refused refused(byte code, ByteBuf reason) {
        RefusalKind kind = switch (code) {
            case REFUSED_NOT_A_MEMBER -> RefusalKind.NOT_A_MEMBER;
            case REFUSED_LINKED_ALREADY -> RefusalKind.LINKED_ALREADY;
            case REFUSED_UNPROVED -> RefusalKind.UNPROVED;
            case REFUSED_AS_TOO_OLD -> RefusalKind.PEER_TOO_OLD;
            default -> RefusalKind.ELSEWHERE;
        };
        return new Refused(kind, printable(reason.toString(StandardCharsets.UTF_8)));
    }

    private static ProvedRefusal decodeProvedRefusal(ByteBuf body) throws MalformedMessageException {
        if (body.readableBytes() < REFUSAL_FIXED_BYTES) {
            throw new MalformedMessageException("sent a malformed handshake (refusal cut short)");
        }
        int sender = body.readInt();
        byte code = body.readByte();
        int reasonBytes = body.readUnsignedShort();
        if (reasonBytes > body.readableBytes()) {
            throw new MalformedMessageException(
                    "sent a malformed handshake (reason of " + reasonBytes + " bytes in " + body.readableBytes() + ")");
        }
        return new ProvedRefusal(sender, refused(code, body.readSlice(reasonBytes)), Credentials.getProofs(body));
    }

    private static Hello decodeHello(ByteBuf body) throws MalformedMessageException {
        if (body.readableBytes() < HELLO_FIXED_BYTES) {
            throw new MalformedMessageException("sent a malformed handshake (hello of " + body.readableBytes()
                    + " bytes, at least " + HELLO_FIXED_BYTES + " expected)");
        }
        int sender = body.readInt();
        int receiver = body.readInt();
        long incarnation = body.readLong();
        long clusterId = body.readLong();
        long executionProfile = body.readLong();
        Purpose purpose = Purpose.of(body.readByte());
        int protocolBytes = body.readUnsignedShort();
        if (protocolBytes > body.readableBytes() || protocolBytes > TransportSettings.MAX_PROTOCOL_BYTES) {
            throw new MalformedMessageException("sent a malformed handshake (protocol name of " + protocolBytes
                    + " bytes in " + body.readableBytes() + ")");
        }
        ByteBuffer name = body.readSlice(protocolBytes).nioBuffer();
        try {
            String protocol = StandardCharsets.UTF_8.newDecoder().decode(name).toString();
            PeerRelease release = PeerRelease.get(body);
            Credentials credentials = Credentials.get(body);
            return new Hello(
                    sender,
                    receiver,
                    incarnation,
                    clusterId,
                    executionProfile,
                    purpose,
                    protocol,
                    release,
                    credentials);
        } catch (CharacterCodingException e) {
            throw new MalformedMessageException("sent a malformed handshake (protocol name is not UTF-8)");
        }
    }

    /**
     * Makes text from a peer fit for a log line.
     *
     * @param text anything
     * @return the same without control characters and line separators
     */
    static String printable(String text) {
        StringBuilder line = new StringBuilder(text.length());
        text.codePoints()
                .map(c -> Character.isISOControl(c)
                                || Character.getType(c) == Character.LINE_SEPARATOR
                                || Character.getType(c) == Character.PARAGRAPH_SEPARATOR
                                || Character.getType(c) == Character.FORMAT
                        ? ' '
                        : c)
                .forEach(line::appendCodePoint);
        return line.toString();
    }
}
