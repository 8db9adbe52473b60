package io.chainkeeper.server.proposal;

import io.chainkeeper.command.Command;
import io.chainkeeper.replica.ReplicaStoppedException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Has commands of the server ordered without ever waiting: those that find no room are kept, and offered again in their
 * order with each {@link #tick}. Of commands about the same thing only the newest is kept, so there are never more than
 * there are such things. Used by one thread.
 */
public final class PatientProposer {
    private record Owed(long sessionId, Command command) {}

    private final Proposer proposer;
    private final Map<Object, Owed> owed = new LinkedHashMap<>();

    /** @param proposer the way into the order */
    public PatientProposer(Proposer proposer) {
        this.proposer = proposer;
    }

    /** @return the stamp of a command that is proposed now, milliseconds since 1970 */
    public long wallClockMillis() {
        return proposer.wallClockMillis();
    }

    /**
     * Offers a command now, or later if there is no room. It takes the place of one of its kind that is still kept.
     *
     * @param sessionId the session it is about, 0 for none
     * @param command the command
     * @throws ReplicaStoppedException if this replica has stopped
     */
    public void propose(long sessionId, Command command) {
        propose(command.getClass(), sessionId, command);
    }

    /**
     * As the other one, where there may be several commands of a kind.
     *
     * @param about what the command is about: it takes the place of one about the same that is still kept
     * @param sessionId the session whose stream it belongs to, 0 for none
     * @param command the command
     * @throws ReplicaStoppedException if this replica has stopped
     */
    public void propose(Object about, long sessionId, Command command) {
        owed.put(about, new Owed(sessionId, command));
        tick();
    }

    /**
     * Offers what is kept, as far as there is room.
     *
     * @throws ReplicaStoppedException if this replica has stopped
     */
    public void tick() {
        Iterator<Owed> next = owed.values().iterator();
        while (next.hasNext()) {
            Owed oldest = next.next();
            if (!proposer.offer(oldest.sessionId(), oldest.command())) {
                return;
            }
            next.remove();
        }
    }
}
