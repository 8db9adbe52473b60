package io.chainkeeper.simulation.znode;

import io.chainkeeper.simulation.checker.History;
import io.chainkeeper.simulation.checker.Operation;
import io.chainkeeper.simulation.checker.Operation.Kind;
import io.chainkeeper.simulation.order.SessionEvidence;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.jute.Record;

/** Records what clients have asked of znodes and what they were told, each with its place in the order. */
final class ZnodeJournal {
    private final History history;
    private final SessionEvidence evidence;
    private final boolean areReadsLinearizable;
    private final List<Runnable> lost = new ArrayList<>();
    private long asked;
    private long answered;

    /**
     * @param history takes what is asked and answered
     * @param evidence knows where in the order which write stands
     * @param areReadsLinearizable whether they are held against the one order; if not, they are only counted here
     */
    ZnodeJournal(History history, SessionEvidence evidence, boolean areReadsLinearizable) {
        this.history = history;
        this.evidence = evidence;
        this.areReadsLinearizable = areReadsLinearizable;
    }

    /**
     * What is asked of one znode, as the model of its key defines it.
     *
     * @param kind of operation
     * @param argument for the model
     */
    record Asked(Kind kind, Object argument) {}

    /** One request, of which each znode concerned sees an operation; without an answer until it has one. */
    abstract class Recorded implements ZnodeClient.ReplyHandler {
        private final List<History.Invocation> invocations = new ArrayList<>();
        private final long sessionId;

        /** @param keys with what is asked of each; a read is asked of one at most */
        Recorded(ZnodeClient client, Map<String, Asked> keys) {
            asked++;
            sessionId = client.session().id();
            keys.forEach((key, one) -> {
                if (one.kind() != Kind.READ || areReadsLinearizable) {
                    invocations.add(history.invoke(sessionId, one.kind(), key, one.argument()));
                }
            });
        }

        @Override
        public void replied(int xid, int error, Record body) {
            answered++;
            placed(evidence.placeOf(sessionId, xid));
            List<Object> outcomes = outcomes(error, body);
            for (int i = 0; i < invocations.size(); i++) {
                if (outcomes.get(i) == null) {
                    invocations.get(i).withoutEffect();
                } else {
                    invocations.get(i).returned(outcomes.get(i));
                }
            }
        }

        /** Whether it took effect is known when the run has ended. */
        @Override
        public void lost(int xid) {
            lost.add(() -> {
                // A lost read has no effect and is forgotten as well.
                long place = evidence.placeOf(sessionId, xid);
                placed(place);
                boolean mayHaveEffect = place != Operation.NO_PLACE;
                invocations.forEach(mayHaveEffect ? History.Invocation::unknown : History.Invocation::withoutEffect);
            });
        }

        private void placed(long place) {
            invocations.forEach(invocation -> invocation.placed(place));
        }

        /** For each key, in order; null for one that certainly did not change and of which nothing is known. */
        abstract List<Object> outcomes(int error, Record body);
    }

    /** A request that concerns no znode that is followed. */
    Recorded unrecorded(ZnodeClient client) {
        return new Recorded(client, Map.of()) {
            @Override
            List<Object> outcomes(int error, Record body) {
                return List.of();
            }
        };
    }

    static List<Object> one(Object outcome) {
        List<Object> outcomes = new ArrayList<>();
        outcomes.add(outcome);
        return outcomes;
    }

    /** From now on the session may end by itself, and with it what is asked here of a key. */
    void mayExpire(long sessionId, String key, Object end) {
        History.Invocation expiry = history.invoke(sessionId, Kind.WRITE, key, end);
        lost.add(() -> {
            long place = evidence.placeOfExpiry(sessionId);
            if (place == Operation.NO_PLACE) {
                expiry.withoutEffect();
            } else {
                expiry.placed(place);
                expiry.unknown();
            }
        });
    }

    /** Nothing happens any more: what has taken effect of that which nobody got a reply to is certain. */
    void settleLost() {
        lost.forEach(Runnable::run);
        lost.clear();
    }

    long asked() {
        return asked;
    }

    long answered() {
        return answered;
    }
}
