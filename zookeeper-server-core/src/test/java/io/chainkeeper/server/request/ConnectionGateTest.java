package io.chainkeeper.server.request;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.InvariantViolated;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.Request;
import org.junit.Test;

public class ConnectionGateTest {
    private final List<Integer> answered = new ArrayList<>();
    private final ConnectionGate gate =
            new ConnectionGate(request -> answered.add(request.cxid), ConnectionGate::drain);

    private static Request request(int cxid) {
        return new Request(null, 1, cxid, OpCode.getData, null, null);
    }

    private void execute(ConnectionGate.Entry write) {
        write.beforeExecution();
        answered.add(write.request().cxid);
        write.afterExecution();
    }

    @Test
    public void readOfAnIdleConnection_isLeftToTheCaller() {
        assertTrue(gate.isIdle());
        assertFalse(gate.addIfBusy(request(1)));
        assertTrue(gate.isIdle());
    }

    @Test
    public void readBehindAWrite_isAnsweredAfterIt() {
        ConnectionGate.Entry write = gate.addWrite(request(1));
        assertTrue(gate.addIfBusy(request(2)));
        assertTrue(gate.addIfBusy(request(3)));
        assertEquals(List.of(), answered);
        execute(write);
        assertEquals(List.of(1, 2, 3), answered);
        assertTrue(gate.isIdle());
    }

    @Test
    public void barrierReadBehindAWrite_waitsForBoth() {
        ConnectionGate.Entry write = gate.addWrite(request(1));
        ConnectionGate.Entry read = gate.addBarrierRead(request(2));
        execute(write);
        assertEquals("its barrier is not reached", List.of(1), answered);
        read.barrierReached();
        assertEquals(List.of(1, 2), answered);

        ConnectionGate.Entry second = gate.addWrite(request(3));
        ConnectionGate.Entry secondRead = gate.addBarrierRead(request(4));
        secondRead.barrierReached();
        assertEquals("the write is not executed", List.of(1, 2), answered);
        execute(second);
        assertEquals(List.of(1, 2, 3, 4), answered);
    }

    @Test
    public void writeAboutToExecute_letsEarlierReadsRunWithoutTheirBarrier() {
        ConnectionGate.Entry read = gate.addBarrierRead(request(1));
        ConnectionGate.Entry write = gate.addWrite(request(2));
        execute(write);
        assertEquals(List.of(1, 2), answered);
        read.barrierReached();
        assertEquals("answered once", List.of(1, 2), answered);
    }

    @Test
    public void barriersReachedInAnyOrder_answersKeepTheOrderOfRequests() {
        ConnectionGate.Entry first = gate.addBarrierRead(request(1));
        ConnectionGate.Entry second = gate.addBarrierRead(request(2));
        second.barrierReached();
        assertEquals(List.of(), answered);
        first.barrierReached();
        assertEquals(List.of(1, 2), answered);
    }

    @Test
    public void writesDeliveredOutOfOrder_areABug() {
        gate.addWrite(request(1));
        ConnectionGate.Entry second = gate.addWrite(request(2));
        assertThrows(InvariantViolated.class, () -> second.beforeExecution());
    }
}
