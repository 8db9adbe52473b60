package io.chainkeeper.replica;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.RecoveredState;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A protocol behind the contract of {@link Effects}: the effects that an input asks for are carried out when the input
 * has ended, and none of them if the input fails. Used by one thread at a time.
 */
public final class RecordedProtocol implements OrderingProtocol {
    private final OrderingProtocol protocol;
    private final RecordedEffects effects;

    /**
     * @param protocol created with these effects
     * @param effects collects what the protocol asks for
     */
    RecordedProtocol(OrderingProtocol protocol, RecordedEffects effects) {
        this.protocol = protocol;
        this.effects = effects;
    }

    /**
     * Creates a protocol behind the contract.
     *
     * @param host carries out what the protocol asks for; calls nothing back
     * @param maker creates the protocol with the effects that it is to use
     * @return the protocol as the host is to call it
     */
    public static RecordedProtocol create(Effects host, Function<Effects, OrderingProtocol> maker) {
        RecordedEffects effects = new RecordedEffects(host);
        return new RecordedProtocol(maker.apply(effects), effects);
    }

    /** For inputs that do not come with every command: those of each command are written out, without an object. */
    private void input(Runnable call) {
        effects.begin();
        carryOutAfter(call);
    }

    private void carryOutAfter(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            effects.drop();
            throw e;
        }
        effects.end();
    }

    @Override
    public void onStart(RecoveredState recovered) {
        effects.beginStart();
        carryOutAfter(() -> protocol.onStart(recovered));
    }

    @Override
    public void onTick() {
        input(protocol::onTick);
    }

    @Override
    public int quietTicks() {
        return protocol.quietTicks();
    }

    @Override
    public void onPropose(ProposedCommand command) {
        effects.begin();
        try {
            protocol.onPropose(command);
        } catch (RuntimeException | Error e) {
            effects.drop();
            throw e;
        }
        effects.end();
    }

    @Override
    public void onMessage(int from, Message message) {
        effects.begin();
        try {
            protocol.onMessage(from, message);
        } catch (RuntimeException | Error e) {
            effects.drop();
            throw e;
        }
        effects.end();
    }

    @Override
    public void onDurable(long logSequence) {
        effects.begin();
        try {
            protocol.onDurable(logSequence);
        } catch (RuntimeException | Error e) {
            effects.drop();
            throw e;
        }
        effects.end();
    }

    @Override
    public void onPeerUp(int peer) {
        input(() -> protocol.onPeerUp(peer));
    }

    @Override
    public void onPeerDown(int peer) {
        input(() -> protocol.onPeerDown(peer));
    }

    @Override
    public void onReadBarrier(long token) {
        input(() -> protocol.onReadBarrier(token));
    }

    @Override
    public void onLogRead(long fromPosition, List<LogRecord> records) {
        input(() -> protocol.onLogRead(fromPosition, records));
    }

    @Override
    public void onCheckpoint(long position) {
        input(() -> protocol.onCheckpoint(position));
    }

    @Override
    public void onExecuted(long position) {
        input(() -> protocol.onExecuted(position));
    }

    @Override
    public void onEnsemble(Ensemble ensemble) {
        input(() -> protocol.onEnsemble(ensemble));
    }

    @Override
    public void onLeave() {
        input(protocol::onLeave);
    }

    @Override
    public void onBlocksWritten(int disk, long offset, int length) {
        input(() -> protocol.onBlocksWritten(disk, offset, length));
    }

    @Override
    public void onBlocksRead(int disk, long offset, ByteSlice bytes) {
        input(() -> protocol.onBlocksRead(disk, offset, bytes));
    }

    @Override
    public void onDiskFailed(int disk, String reason) {
        input(() -> protocol.onDiskFailed(disk, reason));
    }

    @Override
    public void onBatchEnd() {
        effects.begin();
        try {
            protocol.onBatchEnd();
        } catch (RuntimeException | Error e) {
            effects.drop();
            throw e;
        }
        effects.end();
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
