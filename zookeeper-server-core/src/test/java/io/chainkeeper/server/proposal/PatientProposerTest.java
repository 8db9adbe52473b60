package io.chainkeeper.server.proposal;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.TotalOrder;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

public class PatientProposerTest {
    private final List<Command> ordered = new ArrayList<>();
    private final PatientProposer patient;
    private int room;

    public PatientProposerTest() {
        TotalOrder order = (TotalOrder) Proxy.newProxyInstance(
                TotalOrder.class.getClassLoader(),
                new Class<?>[] {TotalOrder.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "streamCount" -> 1;
                    case "offer" -> offer((Proposal) arguments[0]);
                    default -> throw new AssertionError("it waits: " + method);
                });
        Proposer proposer = new Proposer(() -> 0);
        proposer.connect(order);
        patient = new PatientProposer(proposer);
    }

    private boolean offer(Proposal proposal) throws Exception {
        if (room == 0) {
            return false;
        }
        room--;
        ordered.add(CommandCodec.decode(proposal.command()));
        return true;
    }

    private static Command orphan(int member) {
        return new Command.Orphan(0, member, 1);
    }

    @Test
    public void thereIsRoom_isOrderedAtOnce() {
        room = 1;
        patient.propose(0, orphan(1));
        assertEquals(List.of(orphan(1)), ordered);
        room = 1;
        patient.tick();
        assertEquals("once", 1, ordered.size());
    }

    @Test
    public void thereIsNoRoom_areOrderedLaterInTheirOrder() {
        patient.propose("first", 0, orphan(1));
        patient.propose("second", 0, orphan(2));
        room = 1;
        patient.propose("third", 0, orphan(3));
        assertEquals("none overtakes another", List.of(orphan(1)), ordered);
        room = 5;
        patient.tick();
        assertEquals(List.of(orphan(1), orphan(2), orphan(3)), ordered);
    }

    @Test
    public void thereIsNoRoomForLong_onlyTheNewestAboutAThingIsKept() {
        for (int member = 1; member <= 100; member++) {
            patient.propose(0, orphan(member));
        }
        Command other = new Command.DigestAudit(0);
        patient.propose(0, other);
        room = 200;
        patient.tick();
        assertEquals(List.of(orphan(100), other), ordered);
    }
}
