package io.chainkeeper.iss;

import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.acceptor.FoundingHello;
import java.util.function.UnaryOperator;

/** Changes what replicas tell of themselves. */
public final class IssHellos {
    private IssHellos() {}

    /**
     * Changes a founding hello.
     *
     * @param message any
     * @param change what becomes of a founding hello
     * @return the message, with another founding hello if it holds one of ISS
     */
    public static Message changed(Message message, UnaryOperator<FoundingHello> change) {
        return message instanceof IssMessage.Hello hello
                ? new IssMessage.Hello(change.apply(hello.founding()))
                : message;
    }
}
