package io.chainkeeper.chain;

import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.acceptor.Introduction;
import java.util.function.UnaryOperator;

/** Changes what replicas tell of themselves. */
public final class ChainHellos {
    private ChainHellos() {}

    /**
     * Changes an introduction.
     *
     * @param message any
     * @param change what becomes of an introduction
     * @return the message, with another introduction if it holds one of ChainPaxos
     */
    public static Message changed(Message message, UnaryOperator<Introduction> change) {
        return message instanceof ChainMessage.Hello hello
                ? new ChainMessage.Hello(hello.prefix(), change.apply(hello.introduction()))
                : message;
    }
}
