package io.chainkeeper.ordering;

import java.util.List;
import java.util.Map;

/**
 * A protocol as its host sees it: each input goes to its handler, and after each comes the one step that does what the
 * input has made possible. So no handler can forget that step.
 */
public final class InputCycle implements OrderingProtocol {
    /** The protocol itself. Its methods handle the inputs; all that several of them may lead to is in two others. */
    public interface Handlers extends OrderingProtocol {
        /** Does what any input may have made possible, and checks the invariants. Called after each input. */
        void afterInput();

        /** Sends what was held back for batching. Called at the end of a batch, after {@link #afterInput}. */
        void flush();
    }

    private final Handlers protocol;

    /** @param protocol what handles the inputs */
    public InputCycle(Handlers protocol) {
        this.protocol = protocol;
    }

    @Override
    public void onStart(RecoveredState recovered) {
        protocol.onStart(recovered);
        protocol.afterInput();
    }

    @Override
    public void onTick() {
        protocol.onTick();
        protocol.afterInput();
    }

    @Override
    public int quietTicks() {
        return protocol.quietTicks();
    }

    @Override
    public void onPropose(ProposedCommand command) {
        protocol.onPropose(command);
        protocol.afterInput();
    }

    @Override
    public void onMessage(int from, Message message) {
        protocol.onMessage(from, message);
        protocol.afterInput();
    }

    @Override
    public void onDurable(long logSequence) {
        protocol.onDurable(logSequence);
        protocol.afterInput();
    }

    @Override
    public void onPeerUp(int peer) {
        protocol.onPeerUp(peer);
        protocol.afterInput();
    }

    @Override
    public void onPeerDown(int peer) {
        protocol.onPeerDown(peer);
        protocol.afterInput();
    }

    @Override
    public void onReadBarrier(long token) {
        protocol.onReadBarrier(token);
        protocol.afterInput();
    }

    @Override
    public void onLogRead(long fromPosition, List<LogRecord> records) {
        protocol.onLogRead(fromPosition, records);
        protocol.afterInput();
    }

    @Override
    public void onCheckpoint(long position) {
        protocol.onCheckpoint(position);
        protocol.afterInput();
    }

    @Override
    public void onExecuted(long position) {
        protocol.onExecuted(position);
        protocol.afterInput();
    }

    @Override
    public void onEnsemble(Ensemble ensemble) {
        protocol.onEnsemble(ensemble);
        protocol.afterInput();
    }

    @Override
    public void onLeave() {
        protocol.onLeave();
        protocol.afterInput();
    }

    @Override
    public void onBlocksWritten(int disk, long offset, int length) {
        protocol.onBlocksWritten(disk, offset, length);
        protocol.afterInput();
    }

    @Override
    public void onBlocksRead(int disk, long offset, ByteSlice bytes) {
        protocol.onBlocksRead(disk, offset, bytes);
        protocol.afterInput();
    }

    @Override
    public void onDiskFailed(int disk, String reason) {
        protocol.onDiskFailed(disk, reason);
        protocol.afterInput();
    }

    @Override
    public void onBatchEnd() {
        protocol.onBatchEnd();
        protocol.afterInput();
        protocol.flush();
    }

    @Override
    public OrderingStatus status() {
        return protocol.status();
    }

    @Override
    public Map<String, Long> gauges() {
        return protocol.gauges();
    }

    @Override
    public void tellOccupancy(Occupancy occupancy) {
        protocol.tellOccupancy(occupancy);
    }
}
