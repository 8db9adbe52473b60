package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.simulation.explore.ReplicaStates.Reaction;
import java.util.Locale;
import java.util.function.Consumer;

/** What happens at replicas, in words. */
final class StepWords {
    private final ReplicaMaker maker;
    private final Orders orders;

    /** Null if nobody listens. */
    private Consumer<String> listener;

    StepWords(ReplicaMaker maker, Orders orders) {
        this.maker = maker;
        this.orders = orders;
    }

    void listen(Consumer<String> newListener) {
        listener = newListener;
    }

    /** A replica has reacted to an input. */
    void tell(int id, LocalInput input, Reaction reaction) {
        if (listener == null) {
            return;
        }
        if (input.kind() == LocalInput.Kind.FRAME) {
            listener.accept("    " + id + " receives " + message(input.number()));
        } else {
            listener.accept("    " + id + " "
                    + input.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ')
                    + (input.peer() > 0 ? " " + input.peer() : ""));
        }
        for (LocalEffect effect : reaction.effects()) {
            listener.accept("      " + describe(effect));
        }
        OrderingStatus status = reaction.next().status();
        listener.accept("      is " + (status == null ? "down" : status));
    }

    private String describe(LocalEffect effect) {
        return switch (effect.kind()) {
            case ASKED ->
                "asks disk " + effect.number() + " to " + maker.shared().describe(effect.item());
            case SENT -> "sends " + effect.number() + " " + message(effect.item());
            case DELIVERED -> "delivers " + effect.number() + " " + orders.describe(effect.item());
            case WRITE_ANSWERED -> "answers the write at position " + effect.number();
            case READ_ASKED -> "read " + effect.number() + " is asked";
            case READ_ANSWERED -> "answers read " + effect.number() + " with " + effect.applied() + " commands applied";
        };
    }

    private String message(int frame) {
        ByteSlice bytes = maker.frames().get(frame);
        try {
            return maker.codec().decode(bytes).toString();
        } catch (MalformedMessageException e) {
            return bytes.toString();
        }
    }
}
