package io.chainkeeper.transport.handshake;

import io.chainkeeper.transport.PeerAuthentication;
import io.chainkeeper.transport.PeerAuthentication.Exchange;
import io.chainkeeper.transport.handshake.HandshakeMessage.Token;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;

/**
 * The authentication of one connection, in front of the hellos: tokens go back and forth until the accepting side marks
 * its token as the last. Belongs to the I/O thread; other threads compute the tokens.
 */
final class HandshakeAuthentication {
    /** More tokens than any mechanism needs; a side that wants more only wants to keep this replica busy. */
    private static final int MAX_TOKENS = 6;

    private static final byte[] NOTHING = new byte[0];

    /** Told of the outcome, on the I/O thread. */
    interface Listener {
        /** @param token to be sent */
        void say(Token token);

        /** Both sides are content. */
        void authenticated();

        /** @param reason why the other side, or this one, is not content */
        void notAuthenticated(String reason);
    }

    private final HandshakeContext context;
    private final String dialedHost;
    private final Listener listener;
    private Exchange exchange;
    private int tokens;
    private boolean busy;
    private boolean authenticated;
    private boolean ended;

    /**
     * @param context what handshakes share
     * @param dialedHost host of the peer that this side has connected to, null if the other side has connected
     * @param listener told of the outcome
     */
    HandshakeAuthentication(HandshakeContext context, String dialedHost, Listener listener) {
        this.context = context;
        this.dialedHost = dialedHost;
        this.listener = listener;
    }

    private PeerAuthentication settings() {
        return context.settings().authentication();
    }

    /** @return whether the peer that is dialed has to be authenticated before anything is said */
    boolean isNeededToDial() {
        return settings() != null && settings().dials();
    }

    /** @return whether the peer that has connected should have authenticated itself and has not */
    boolean isMissing() {
        return settings() != null && settings().demands() && !authenticated;
    }

    /** @return whether the peer that has connected has authenticated itself */
    boolean isAuthenticated() {
        return authenticated;
    }

    /** @return whether nothing else than a token may come now */
    boolean isUnderWay() {
        return tokens > 0 && !authenticated;
    }

    /** @return whether a token is being computed, so that the other side has to wait */
    boolean isBusy() {
        return busy;
    }

    /** The side that connects begins. */
    void begin() {
        compute(new Token(false, NOTHING));
    }

    /** @param token of the other side */
    void onToken(Token token) {
        if (settings() == null) {
            listener.notAuthenticated("authenticates itself with SASL, which this replica is not prepared for: set"
                    + " quorum.auth.enableSasl to the same value on all servers");
        } else if (authenticated || dialedHost != null && tokens == 0 || dialedHost == null && token.last()) {
            listener.notAuthenticated("sent an authentication token out of turn");
        } else if (tokens >= MAX_TOKENS) {
            listener.notAuthenticated("does not come to an end with its authentication");
        } else {
            compute(token);
        }
    }

    private void compute(Token token) {
        tokens++;
        busy = true;
        try {
            context.io().blocking().execute(() -> answer(token));
        } catch (RejectedExecutionException e) {
            listener.notAuthenticated("came while this replica stops");
        }
    }

    /** Not on the I/O thread. Security providers may throw unchecked exceptions over what the peer has sent. */
    private void answer(Token token) {
        byte[] answer = null;
        boolean complete = false;
        String failure = null;
        try {
            if (exchange == null) {
                exchange = dialedHost == null ? settings().server() : settings().client(dialedHost);
            }
            if (!token.last() || !exchange.isComplete()) {
                answer = exchange.answer(token.bytes());
            }
            complete = exchange.isComplete();
        } catch (IOException | RuntimeException e) {
            failure = HandshakeMessage.printable(String.valueOf(e.getMessage()));
        }
        byte[] said = answer;
        boolean content = complete;
        String reason = failure;
        context.io().execute(() -> computed(token, said, content, reason));
    }

    private void computed(Token token, byte[] answer, boolean complete, String failure) {
        busy = false;
        if (ended) {
            dispose();
        } else if (failure != null) {
            listener.notAuthenticated("failed the SASL authentication (" + failure
                    + "): check the sections QuorumServer and QuorumLearner of the JAAS files of both servers");
        } else if (dialedHost == null) {
            authenticated = complete;
            listener.say(new Token(complete, answer == null ? NOTHING : answer));
        } else if (token.last()) {
            authenticated = complete && (answer == null || answer.length == 0);
            if (authenticated) {
                listener.authenticated();
            } else {
                listener.notAuthenticated("did not prove that it knows the secret too");
            }
        } else if (answer == null) {
            listener.notAuthenticated("goes on with an authentication that is complete");
        } else {
            listener.say(new Token(false, answer));
        }
    }

    /** The handshake is over, one way or another. */
    void end() {
        ended = true;
        if (!busy) {
            dispose();
        }
    }

    private void dispose() {
        if (exchange != null) {
            exchange.dispose();
            exchange = null;
        }
    }
}
