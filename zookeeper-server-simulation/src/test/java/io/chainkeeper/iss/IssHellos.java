package io.chainkeeper.iss;

import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.acceptor.Introduction;
import java.util.function.UnaryOperator;

/** Changes what replicas tell of themselves. */
public final class IssHellos {
    private IssHellos() {}

    /**
     * Changes an introduction.
     *
     * @param message any
     * @param change what becomes of an introduction
     * @return the message, with another introduction if it holds one of ISS
     */
    public static Message changed(Message message, UnaryOperator<Introduction> change) {
        return message instanceof IssMessage.Hello hello
                ? new IssMessage.Hello(change.apply(hello.introduction()))
                : message;
    }
}
