package io.chainkeeper.transport.handshake;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.WireRange;
import io.chainkeeper.transport.handshake.HandshakeMessage.Accepted;
import io.chainkeeper.transport.handshake.HandshakeMessage.Hello;
import io.chainkeeper.transport.handshake.HandshakeMessage.OtherVersion;
import io.chainkeeper.transport.handshake.HandshakeMessage.ProvedRefusal;
import io.chainkeeper.transport.handshake.HandshakeMessage.Purpose;
import io.chainkeeper.transport.handshake.HandshakeMessage.Refused;
import io.chainkeeper.transport.handshake.HandshakeMessage.Token;
import io.chainkeeper.transport.netty.RawPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.Test;

public class HandshakeMessageTest {
    private static final Hello HELLO = new Hello(3, 1, 42, 0x1234, -1, Purpose.STATE, "chain");

    private static final ProvedRefusal REFUSAL =
            new ProvedRefusal(1, Refused.elsewhere("because: ä"), ByteSlice.of(new byte[2 * SecretProof.BYTES]));

    /** What a later release appends stays there: proofs cover it. */
    private static Hello ofALaterRelease() {
        PeerRelease later = new PeerRelease(
                "0.3.0-rc1",
                new FeatureRange(2, 3),
                new FeatureLevel(3, "0.3.0-rc1"),
                new WireRange(1, 2),
                ByteSlice.of(new byte[] {7, 8, 9}));
        return new Hello(3, 1, 42, 0x1234, -1, Purpose.LINK, "chain", later, Credentials.NONE);
    }

    private static String refusedText(byte[] bytes) {
        return assertThrows(
                        MalformedMessageException.class, () -> HandshakeMessage.decode(Unpooled.wrappedBuffer(bytes)))
                .getMessage();
    }

    @Test
    public void everyMessage_comesBackUnchangedAndNothingFollowingIsTouched() throws Exception {
        for (HandshakeMessage message : List.of(
                HELLO,
                ofALaterRelease(),
                new Accepted(),
                Refused.elsewhere("because: ä"),
                new Refused(RefusalKind.NOT_A_MEMBER, "not yet"),
                new Refused(RefusalKind.LINKED_ALREADY, "later"),
                new Refused(RefusalKind.UNPROVED, "prove it"),
                REFUSAL,
                new ProvedRefusal(255, new Refused(RefusalKind.NOT_A_MEMBER, ""), ByteSlice.EMPTY))) {
            ByteBuf in = Unpooled.buffer();
            HandshakeMessage.encode(message, in);
            in.writeInt(99);

            assertEquals(message, HandshakeMessage.decode(in));
            assertEquals(99, in.readInt());
            assertFalse(in.isReadable());
        }
    }

    @Test
    public void token_comesBackUnchanged() throws Exception {
        for (boolean last : new boolean[] {false, true}) {
            byte[] said = new byte[HandshakeMessage.MAX_TOKEN_BODY_BYTES - 1];
            new Random(3).nextBytes(said);
            Token token =
                    (Token) HandshakeMessage.decode(Unpooled.wrappedBuffer(RawPeer.encode(new Token(last, said))));
            assertEquals(last, token.last());
            assertArrayEquals(said, token.bytes());
        }
    }

    @Test
    public void everyPrefixOfAMessage_asksForMore() throws Exception {
        for (HandshakeMessage message : List.of(HELLO, REFUSAL)) {
            byte[] bytes = RawPeer.encode(message);
            for (int length = 0; length < bytes.length; length++) {
                ByteBuf in = Unpooled.wrappedBuffer(bytes, 0, length);
                assertNull("after " + length + " bytes", HandshakeMessage.decode(in));
                assertEquals(length, in.readableBytes());
            }
        }
    }

    @Test
    public void firstWrongByte_isRefusedAtOnce() {
        assertTrue(refusedText(new byte[] {'G'}).contains("47"));
        assertTrue(refusedText("CHxx".getBytes(StandardCharsets.US_ASCII)).contains("43 48 78 78"));
    }

    @Test
    public void tlsRecord_isNamedAsSuch() {
        assertTrue(refusedText(new byte[] {0x16, 0x03, 0x01, 0, 5}).contains("sslQuorum"));
        assertTrue(refusedText(new byte[] {0x15}).contains("sslQuorum"));
    }

    @Test
    public void otherVersion_tellsSenderAndVersionOnly() throws Exception {
        byte[] bytes = RawPeer.encode(HELLO);
        bytes[5] = 9;

        assertEquals(new OtherVersion(9, 3), HandshakeMessage.decode(Unpooled.wrappedBuffer(bytes)));
    }

    @Test
    public void releaseThatIsTooOld_isThePeersForTheOtherSide() throws Exception {
        byte[] ofPeer = RawPeer.encode(new Refused(RefusalKind.PEER_TOO_OLD, "too old"));
        byte[] own = RawPeer.encode(new Refused(RefusalKind.TOO_OLD, "too old"));

        assertEquals(Refused.elsewhere("too old"), HandshakeMessage.decode(Unpooled.wrappedBuffer(ofPeer)));
        assertEquals(
                new Refused(RefusalKind.PEER_TOO_OLD, "too old"), HandshakeMessage.decode(Unpooled.wrappedBuffer(own)));
    }

    @Test
    public void refusalOfOtherVersion_isUnderstood() throws Exception {
        byte[] bytes = RawPeer.encode(Refused.elsewhere("too old"));
        bytes[5] = 9;

        assertEquals(Refused.elsewhere("too old"), HandshakeMessage.decode(Unpooled.wrappedBuffer(bytes)));
    }

    @Test
    public void refusalWithoutKind_isUnderstood() throws Exception {
        ByteBuf in = Unpooled.buffer().writeInt(HandshakeMessage.MAGIC).writeShort(1);
        in.writeByte(3).writeShort(7).writeCharSequence("too new", StandardCharsets.US_ASCII);

        assertEquals(Refused.elsewhere("too new"), HandshakeMessage.decode(in));
    }

    @Test
    public void refusalOfAKindNotKnown_countsAsElsewhere() throws Exception {
        byte[] bytes = RawPeer.encode(new Refused(RefusalKind.NOT_A_MEMBER, "no"));
        bytes[HandshakeMessage.ENVELOPE_BYTES] = 77;

        assertEquals(Refused.elsewhere("no"), HandshakeMessage.decode(Unpooled.wrappedBuffer(bytes)));
    }

    @Test
    public void purposeNotKnown_isRefused() {
        byte[] bytes = RawPeer.encode(HELLO);
        bytes[HandshakeMessage.ENVELOPE_BYTES + 32] = 3;

        assertTrue(refusedText(bytes).contains("purpose 3"));
    }

    @Test
    public void bodyOverTheBound_isRefusedFromTheEnvelope() {
        ByteBuf in = Unpooled.buffer().writeInt(HandshakeMessage.MAGIC).writeShort(1);
        in.writeByte(1).writeShort(HandshakeMessage.MAX_BODY_BYTES + 1);

        assertThrows(MalformedMessageException.class, () -> HandshakeMessage.decode(in));
    }

    @Test
    public void reasonWithControlCharacters_becomesOnePrintableLine() throws Exception {
        ByteBuf in = Unpooled.buffer();
        HandshakeMessage.encode(Refused.elsewhere("a\nb\u001b[31m\u2028c"), in);

        assertEquals(Refused.elsewhere("a b [31m c"), HandshakeMessage.decode(in));
    }

    @Test
    public void longReason_isCutBetweenCharacters() throws Exception {
        ByteBuf in = Unpooled.buffer();
        HandshakeMessage.encode(Refused.elsewhere("x" + "ä".repeat(5_000)), in);

        String reason = ((Refused) HandshakeMessage.decode(in)).reason();
        assertEquals("x" + "ä".repeat((HandshakeMessage.MAX_REASON_BYTES - 1) / 2), reason);
    }

    @Test
    public void randomlyDamagedMessages_areRefusedOrDecodedButNothingElse() {
        Random random = new Random(7);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = RawPeer.encode(
                    List.of(HELLO, Refused.elsewhere("no"), REFUSAL).get(round % 3));
            for (int damage = random.nextInt(4); damage >= 0; damage--) {
                bytes[4 + random.nextInt(bytes.length - 4)] = (byte) random.nextInt();
            }
            try {
                HandshakeMessage.decode(Unpooled.wrappedBuffer(bytes, 0, random.nextInt(bytes.length + 1)));
            } catch (MalformedMessageException e) {
                assertFalse(e.getMessage().isEmpty());
            }
        }
    }
}
