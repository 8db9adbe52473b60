package io.chainkeeper.transport.bulk;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.transport.PeerTransport;
import io.chainkeeper.transport.StateChannel;
import io.chainkeeper.transport.StateResponder;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.io.IoThread;
import io.netty.channel.Channel;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The answering end of a connection for bulk requests. Belongs to the I/O thread but for the call of the responder. */
final class StateServerConnection extends StateConnection {
    private static final Logger LOG = LoggerFactory.getLogger(PeerTransport.class);

    /** Idle time is counted in checks, so that pauses of this replica do not count as silence of the peer. */
    private static final int IDLE_CHECKS = 4;

    private final StateResponder responder;
    private final Executor responderThreads;
    private final Runnable whenFree;
    private boolean answering;
    private int idleChecks;
    private Future<?> check;

    /**
     * @param settings bounds
     * @param io does all input and output
     * @param peer replica id of the member that asks
     * @param channel the socket
     * @param remote address of the other end, for the log
     * @param responder what answers
     * @param responderThreads where it does so
     * @param whenFree run once, when the connection is closed and occupies no thread any more
     */
    StateServerConnection(
            TransportSettings settings,
            IoThread io,
            int peer,
            Channel channel,
            String remote,
            StateResponder responder,
            Executor responderThreads,
            Runnable whenFree) {
        super(settings, io, peer, channel, remote, StateChannel.MAX_REQUEST_BYTES);
        this.responder = responder;
        this.responderThreads = responderThreads;
        this.whenFree = whenFree;
    }

    @Override
    public void start() {
        if (!isOpen()) {
            return;
        }
        LOG.info("Bulk connection of {} is open", who());
        int interval = limits().stateIdleLimitMillis() / IDLE_CHECKS;
        check = io().scheduleRepeatedly(this::checkLife, interval);
    }

    private void checkLife() {
        idleChecks = answering ? 0 : idleChecks + 1;
        if (idleChecks > IDLE_CHECKS) {
            String what = unwrittenBytes() == 0 ? "asked" : "taken of an answer";
            end("nothing was " + what + " for " + limits().stateIdleLimitMillis() + " ms", false);
        }
    }

    @Override
    void onFrame(ByteSlice request) {
        if (answering || unwrittenBytes() > 0) {
            end("the peer asked again before it was answered: run the same release on all servers", true);
            return;
        }
        answering = true;
        responderThreads.execute(() -> answer(request));
    }

    private void answer(ByteSlice request) {
        try {
            ByteSlice answer = responder.answer(peer(), request);
            InvariantViolated.check(
                    answer.length() <= StateChannel.MAX_ANSWER_BYTES,
                    "an answer of %d bytes, at most %d are allowed",
                    answer.length(),
                    StateChannel.MAX_ANSWER_BYTES);
            io().execute(() -> {
                write(answer);
                answered();
            });
        } catch (IOException e) {
            io().execute(() -> {
                end("its request cannot be answered: " + e.getMessage(), true);
                answered();
            });
        } catch (RuntimeException | Error e) {
            io().execute(() -> {
                end("internal error: " + e, true);
                answered();
            });
            throw e;
        }
    }

    private void answered() {
        answering = false;
        idleChecks = 0;
        if (!isOpen()) {
            whenFree.run();
        }
    }

    @Override
    void onProgress() {
        idleChecks = 0;
    }

    @Override
    void onEnd(String reason, boolean warn) {
        if (check != null) {
            check.cancel(false);
            if (warn) {
                LOG.warn("Bulk connection of {} is closed: {}", who(), reason);
            } else {
                LOG.info("Bulk connection of {} is closed: {}", who(), reason);
            }
        }
        if (!answering) {
            whenFree.run();
        }
    }
}
