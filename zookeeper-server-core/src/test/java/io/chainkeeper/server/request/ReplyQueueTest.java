package io.chainkeeper.server.request;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.server.guard.ExecutionLock;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.Request;
import org.junit.Test;

public class ReplyQueueTest {
    private final List<Integer> answered = new ArrayList<>();
    private boolean served = true;
    private final ReplyQueue queue =
            new ReplyQueue(new ExecutionLock(), (request, barrier) -> answered.add(request.cxid), () -> served);

    private static Request request(int cxid) {
        return new Request(null, 1, cxid, OpCode.getData, null, null);
    }

    private void execute(ReplyQueue.Entry write) {
        write.beforeExecution();
        answered.add(write.request().cxid);
        write.afterExecution();
    }

    @Test
    public void readOfAnIdleConnection_isLeftToTheCaller() {
        assertTrue(queue.isIdle());
        assertFalse(queue.addIfBusy(request(1)));
        assertTrue(queue.isIdle());
    }

    @Test
    public void writeOfAClosedConnection_takesNoPlaceInTheOrder() {
        ReplyQueue.Entry first = queue.addWrite(request(1));
        ReplyQueue.Entry second = queue.addWrite(request(2));
        List<Integer> order = new ArrayList<>();
        assertTrue(first.enter(() -> order.add(1)));
        queue.close();
        assertFalse(second.enter(() -> order.add(2)));
        assertEquals(List.of(1), order);
        queue.remove(second);
        execute(first);
        assertTrue(queue.isIdle());
    }

    @Test
    public void connectionClosedOrClientsNotServed_whatHasNoPlaceIsNotWantedAnyMore() {
        ReplyQueue.Entry write = queue.addWrite(request(1));
        assertTrue(write.isWanted());
        served = false;
        assertFalse(write.isWanted());
        served = true;
        queue.close();
        assertFalse(write.isWanted());
    }

    @Test
    public void heldRequestFindsNoRoom_waitsOnInFrontOfTheOthers() {
        queue.addTurn(request(1), () -> {});
        assertTrue(queue.holdBack(request(2)));
        assertTrue(queue.holdBack(request(3)));
        queue.release();
        Request second = queue.nextHeld();
        queue.holdAgain(second);
        assertTrue("what arrives meanwhile comes last", queue.holdBack(request(4)));
        for (int cxid = 2; cxid <= 4; cxid++) {
            assertEquals(cxid, queue.nextHeld().cxid);
        }
        assertNull(queue.nextHeld());
        assertFalse(queue.holdBack(request(5)));
    }

    @Test
    public void readBehindAWrite_isAnsweredAfterIt() {
        ReplyQueue.Entry write = queue.addWrite(request(1));
        assertTrue(queue.addIfBusy(request(2)));
        assertTrue(queue.addIfBusy(request(3)));
        assertEquals(List.of(), answered);
        execute(write);
        assertEquals(List.of(1, 2, 3), answered);
        assertTrue(queue.isIdle());
    }

    @Test
    public void barrierReadBehindAWrite_waitsForBoth() {
        ReplyQueue.Entry write = queue.addWrite(request(1));
        ReplyQueue.Entry read = queue.addBarrierRead(request(2));
        execute(write);
        assertEquals("its barrier is not reached", List.of(1), answered);
        read.barrierReached();
        assertEquals(List.of(1, 2), answered);

        ReplyQueue.Entry second = queue.addWrite(request(3));
        ReplyQueue.Entry secondRead = queue.addBarrierRead(request(4));
        secondRead.barrierReached();
        assertEquals("the write is not executed", List.of(1, 2), answered);
        execute(second);
        assertEquals(List.of(1, 2, 3, 4), answered);
    }

    @Test
    public void writeAboutToExecute_letsEarlierReadsRunWithoutTheirBarrier() {
        ReplyQueue.Entry read = queue.addBarrierRead(request(1));
        ReplyQueue.Entry write = queue.addWrite(request(2));
        execute(write);
        assertEquals(List.of(1, 2), answered);
        read.barrierReached();
        assertEquals("answered once", List.of(1, 2), answered);
    }

    @Test
    public void barriersReachedInAnyOrder_answersKeepTheOrderOfRequests() {
        ReplyQueue.Entry first = queue.addBarrierRead(request(1));
        ReplyQueue.Entry second = queue.addBarrierRead(request(2));
        second.barrierReached();
        assertEquals(List.of(), answered);
        first.barrierReached();
        assertEquals(List.of(1, 2), answered);
    }

    @Test
    public void writesDeliveredOutOfOrder_areABug() {
        queue.addWrite(request(1));
        ReplyQueue.Entry second = queue.addWrite(request(2));
        assertThrows(InvariantViolated.class, () -> second.beforeExecution());
    }
}
