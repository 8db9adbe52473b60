package io.chainkeeper.simulation.checker;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Records the operations of concurrent clients. Safe for use by any thread. The clock must never run backwards between
 * any two calls, of whatever threads: {@link System#nanoTime} within one process, or a simulator's step count.
 */
public final class History {
    private final LongSupplier clock;
    private final List<Invocation> invocations = new ArrayList<>();

    /** @param clock read under this object's lock */
    public History(LongSupplier clock) {
        this.clock = clock;
    }

    /** @return a history on this process's monotonic clock */
    public static History ofRealTime() {
        return new History(System::nanoTime);
    }

    /**
     * To be called immediately before an operation is sent.
     *
     * @param client who asks
     * @param kind what is asked
     * @param key the object concerned
     * @param argument as the model defines it
     * @return what to tell the outcome to; one that is never told counts as unknown
     */
    public synchronized Invocation invoke(long client, Operation.Kind kind, String key, Object argument) {
        Invocation invocation = new Invocation(client, clock.getAsLong(), kind, key, argument);
        invocations.add(invocation);
        return invocation;
    }

    /** @return the operations so far, in order of invocation; those without an answer yet as unknown */
    public synchronized List<Operation> operations() {
        List<Operation> operations = new ArrayList<>(invocations.size());
        for (Invocation invocation : invocations) {
            if (!invocation.withoutEffect) {
                operations.add(invocation.operation());
            }
        }
        return operations;
    }

    /** @return number of operations invoked so far */
    public synchronized int size() {
        return invocations.size();
    }

    /** An operation that has been asked. It has exactly one outcome: answered, unknown, or without effect. */
    public final class Invocation {
        private final long client;
        private final long invokedAt;
        private final Operation.Kind kind;
        private final String key;
        private final Object argument;
        private long returnedAt = Operation.UNKNOWN;
        private Object result;
        private long place = Operation.NO_PLACE;
        private boolean closed;
        private boolean withoutEffect;

        private Invocation(long client, long invokedAt, Operation.Kind kind, String key, Object argument) {
            this.client = client;
            this.invokedAt = invokedAt;
            this.kind = kind;
            this.key = key;
            this.argument = argument;
        }

        /**
         * The answer has come.
         *
         * @param answer as the model defines it, not null
         */
        public void returned(Object answer) {
            synchronized (History.this) {
                close();
                returnedAt = clock.getAsLong();
                result = answer;
            }
        }

        /** No answer will come: the operation may or may not have happened, or may still happen. */
        public void unknown() {
            synchronized (History.this) {
                close();
            }
        }

        /** It is certain that the operation never had and never will have an effect: it is forgotten. */
        public void withoutEffect() {
            synchronized (History.this) {
                close();
                withoutEffect = true;
            }
        }

        /**
         * If it takes effect, then here.
         *
         * @param order place in the one order of writes, positive
         */
        public void placed(long order) {
            synchronized (History.this) {
                place = order;
            }
        }

        private void close() {
            if (closed) {
                throw new IllegalStateException("operation has two outcomes: " + operation());
            }
            closed = true;
        }

        private Operation operation() {
            return new Operation(client, invokedAt, returnedAt, kind, key, argument, result, place);
        }
    }
}
