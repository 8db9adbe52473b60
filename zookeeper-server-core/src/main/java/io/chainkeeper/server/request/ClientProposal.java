package io.chainkeeper.server.request;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.replica.Proposal;
import org.apache.zookeeper.server.Request;

/** A client's write on its way through the order. */
public final class ClientProposal extends Proposal {
    private final ConnectionGate gate;
    private final ConnectionGate.Entry entry;

    ClientProposal(int stream, ByteSlice command, ConnectionGate gate, ConnectionGate.Entry entry) {
        super(stream, command);
        this.gate = gate;
        this.entry = entry;
    }

    /** @return the client's request, with its connection */
    public Request request() {
        return entry.request();
    }

    /** Executor thread: the write is the next to execute; lets the connection's earlier reads run first. */
    public void beforeExecution() {
        gate.beforeWrite(entry);
    }

    /** Executor thread: the write has been executed and answered; lets what waited for it run. */
    public void afterExecution() {
        gate.afterWrite(entry);
    }
}
