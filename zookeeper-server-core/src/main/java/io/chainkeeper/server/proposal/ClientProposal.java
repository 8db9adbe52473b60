package io.chainkeeper.server.proposal;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.EncodedRequest;
import io.chainkeeper.replica.Proposal;
import org.apache.zookeeper.server.Request;

/** A client's write on its way through the order. */
public final class ClientProposal extends Proposal {
    private final Command.ClientRequest decoded;
    private final Turn turn;

    /** The place of a write among the requests of its connection. */
    public interface Turn {
        /** @return the client's request, with its connection */
        Request request();

        /** See {@link Proposal#isWanted}. */
        boolean isWanted();

        /** See {@link Proposal#enter}. */
        boolean enter(Runnable place);

        /** Apply thread: the write is the next to execute; lets the connection's earlier reads run first. */
        void beforeExecution();

        /** Apply thread: the write has been executed and answered; lets what waited for it run. */
        void afterExecution();
    }

    /**
     * @param stream see {@link Proposal}
     * @param command the command
     * @param turn the write's place among the requests of its connection
     */
    public ClientProposal(int stream, EncodedRequest command, Turn turn) {
        super(stream, command.bytes());
        this.decoded = command.request();
        this.turn = turn;
    }

    @Override
    public boolean isWanted() {
        return turn.isWanted();
    }

    @Override
    public boolean enter(Runnable place) {
        return turn.enter(place);
    }

    /** @return what {@link #command} decodes to */
    public Command.ClientRequest decoded() {
        return decoded;
    }

    /** @return the client's request, with its connection */
    public Request request() {
        return turn.request();
    }

    /** See {@link Turn#beforeExecution}. */
    public void beforeExecution() {
        turn.beforeExecution();
    }

    /** See {@link Turn#afterExecution}. */
    public void afterExecution() {
        turn.afterExecution();
    }
}
