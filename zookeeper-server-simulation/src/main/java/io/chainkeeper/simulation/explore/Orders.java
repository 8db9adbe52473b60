package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.replica.ProposerTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The orders that have turned up: rows of values, position by position, each the first ever delivered there. Number 0
 * is the empty order. Checks agreement, validity, exactly once, and first in first out.
 */
final class Orders {
    private record Extension(int order, int value) {}

    /**
     * @param applied how many commands the executor has applied up to each position
     * @param memberships in force at each position, and after the last one
     */
    private record Order(int[] values, int[] applied, Membership[] memberships) {}

    private final ReplicaMaker maker;
    private final List<Order> orders = new ArrayList<>();
    private final Map<Extension, Integer> extensions = new HashMap<>();

    Orders(ReplicaMaker maker) {
        this.maker = maker;
        Membership initial = Membership.initial(1, maker.first().participants());
        orders.add(new Order(new int[0], new int[0], new Membership[] {initial}));
    }

    /**
     * A replica has delivered a value.
     *
     * @param order what was delivered before, by anybody
     * @param applied how many commands the replica has applied with it
     * @param proposed how many commands each replica's clients have written, by replica id
     * @return the order afterwards
     */
    int delivered(int order, int replica, int position, int value, int applied, int[] proposed) {
        Order before = orders.get(order);
        InvariantViolated.check(
                position <= before.values().length + 1,
                "replica %d delivers position %d, but nobody has delivered the one before",
                replica,
                position);
        int after = order;
        if (position == before.values().length + 1) {
            after = extensions.computeIfAbsent(new Extension(order, value), key -> extend(before, value, proposed));
        } else if (before.values()[position - 1] != value) {
            throw new InvariantViolated("agreement: replica " + replica + " delivers at position " + position + " "
                    + describe(value) + ", where " + describe(before.values()[position - 1])
                    + " was delivered before");
        }
        InvariantViolated.check(
                orders.get(after).applied()[position - 1] == applied,
                "replica %d has applied %d commands at position %d, others %d",
                replica,
                applied,
                position,
                orders.get(after).applied()[position - 1]);
        return after;
    }

    private int extend(Order before, int value, int[] proposed) {
        int length = before.values().length;
        int[] values = Arrays.copyOf(before.values(), length + 1);
        values[length] = value;
        int[] applied = Arrays.copyOf(before.applied(), length + 1);
        applied[length] = (length == 0 ? 0 : applied[length - 1]) + check(values, proposed);
        Membership[] memberships = Arrays.copyOf(before.memberships(), length + 2);
        ByteSlice bytes = maker.values().get(value);
        memberships[length + 1] = BatchCodec.isMembership(bytes) ? membershipIn(bytes) : memberships[length];
        orders.add(new Order(values, applied, memberships));
        return orders.size() - 1;
    }

    /** The membership that a value is. */
    static Membership membershipIn(ByteSlice value) {
        try {
            return BatchCodec.decodeMembership(value);
        } catch (MalformedMessageException e) {
            throw new InvariantViolated("a delivered value is no membership: " + e.getMessage());
        }
    }

    /** Checks the last of these values in the light of those before; returns how many of its commands are applied. */
    private int check(int[] values, int[] proposed) {
        ProposerTable executor = new ProposerTable();
        Map<String, Long> lastApplied = new TreeMap<>();
        int appliedOfLast = 0;
        for (int value : values) {
            appliedOfLast = 0;
            for (ProposedCommand command :
                    ExploredReplica.commandsIn(maker.values().get(value))) {
                InvariantViolated.check(
                        command.sequence() <= proposed[command.proposer()]
                                && command.equals(
                                        maker.commandOf(command.proposer(), command.incarnation(), command.sequence())),
                        "validity: %s was delivered, which nobody proposed",
                        command);
                if (executor.advance(command) == ProposerTable.Verdict.APPLY) {
                    appliedOfLast++;
                    Long earlier =
                            lastApplied.put(command.proposer() + "." + command.incarnation(), command.sequence());
                    InvariantViolated.check(
                            command.sequence() == (earlier == null ? 0 : earlier) + 1,
                            "exactly once, first in first out: %s is applied after sequence %d",
                            command,
                            earlier);
                }
            }
        }
        return appliedOfLast;
    }

    String describe(int value) {
        ByteSlice bytes = maker.values().get(value);
        if (BatchCodec.isMembership(bytes)) {
            return "members " + membershipIn(bytes);
        }
        List<ProposedCommand> commands = ExploredReplica.commandsIn(bytes);
        return commands.isEmpty() ? "no-op" : commands.toString();
    }

    /** The membership in force at a position, or at the one after the last. */
    Membership membership(int order, int position) {
        return orders.get(order).memberships()[position - 1];
    }

    /** How many positions an order has. */
    int length(int order) {
        return orders.get(order).values().length;
    }
}
