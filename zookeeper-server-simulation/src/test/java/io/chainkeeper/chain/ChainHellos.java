package io.chainkeeper.chain;

import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.acceptor.FoundingHello;
import java.util.function.UnaryOperator;

/** Changes what replicas tell of themselves. */
public final class ChainHellos {
    private ChainHellos() {}

    /**
     * Changes a founding hello.
     *
     * @param message any
     * @param change what becomes of a founding hello
     * @return the message, with another founding hello if it holds one of ChainPaxos
     */
    public static Message changed(Message message, UnaryOperator<FoundingHello> change) {
        return message instanceof ChainMessage.Hello hello
                ? new ChainMessage.Hello(hello.prefix(), change.apply(hello.founding()))
                : message;
    }
}
