package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.Protocols;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The command behind {@code bin/explore.sh}: explores the scopes that have names, or one of the caller's; or runs
 * single schedules.
 *
 * <pre>
 * --protocol NAME     the protocol, default chain
 * --scope NAME        only this one of the protocol's named scopes; the options below change it
 * --start led         begin with replica 1 leading
 * --start short-epoch the same, in an epoch that is as short as can be
 * --start cold        begin with all just started
 * --start truncated   begin with the last replica down and lacking what the others' logs no longer hold
 * --start deposed     begin with replica 1 back among the others, which have missed it and gone on without it
 * --start deposed-at-last  the same, replica 1 reaches only the last one, whose disk has been slow
 * --start behind      begin with 1 and 2 back, of which 1 holds a value that was not decided and 2 reaches only 1
 * --start behind-and-deposed  the same, 1 reaches only 2 and 2 everybody
 * --start split       as led; 1 and 2 are cut off from all others but 3
 * --start apart       as led; all links are cut
 * --start overtaken   with shared disks: replica 1 has a value of its own in its ring where 2 has decided another one
 * --start round       with shared disks: the next entry of replica 1 goes over the oldest one in its ring
 * --writes 1,0,1      writes by the clients of each replica; its length is the number of replicas
 * --reads 0,0,1       linearizable reads by the clients of each replica
 * --ticks 0,1,1       how often time may pass at each replica
 * --ticks-at-once N   ticks that pass each time
 * --checkpoints 0,1,0 how often each replica may write a checkpoint and cut its log
 * --participants 1,1,0       who is configured at first
 * --next-participants 1,1,1  who is configured after the one change, of which each learns at some time
 * --may-crash 1,0,0   which replicas may crash
 * --crashes N         crashes in all
 * --restarts N        starts after a crash, in all
 * --breaks N          broken links in all
 * --disks N           disks that replicas share, with a protocol that has use for them, default 3
 * --disk-failures N   how often one of them fails for a replica, in all
 * --in-step 1,1,0,2,2 replicas with the same number other than 0 are in step
 * --details NAMES     what is told apart besides, separated by commas: record-by-record (records become durable one by
 *                     one), batches (several inputs in one), survivors (a crash may leave records that were not known
 *                     to be durable), older-checkpoints (they become durable late, and the newest one may be damaged),
 *                     slow-transfers (a state is fetched, later installed, and then the replica starts), torn-writes
 *                     (half of a write to a shared disk may be there); or none
 * --depth N           follow schedules up to so many steps, default: no limit
 * --states N          end after so many states, default 5000000
 * --walks N           instead: run N schedules drawn by chance
 * --depth N             of so many steps each, default 60
 * --seed N              the first with this seed, default: drawn from the clock and printed
 * --replay "..."      instead: run this schedule and print what happens
 * </pre>
 *
 * Exit code 0: nothing was broken; 1: a schedule breaks a promise; 2: wrong arguments.
 */
public final class Explore {
    private static final int DEFAULT_STATES = 5_000_000;
    private static final int DEFAULT_WALK_STEPS = 60;

    private final Map<String, String> options = new TreeMap<>();
    private OrderingProtocolFactory factory;
    private Map<String, Scope> scopes;

    private Explore() {}

    /** @param arguments see the class comment */
    public static void main(String[] arguments) {
        Explore command = new Explore();
        boolean sound;
        try {
            command.parse(arguments);
            sound = command.run();
        } catch (IllegalArgumentException e) {
            System.err.println("explore: " + e.getMessage());
            System.exit(2);
            return;
        }
        System.exit(sound ? 0 : 1);
    }

    private void parse(String[] arguments) {
        List<String> known = new ArrayList<>(ScopeOptions.NAMES);
        known.addAll(List.of("--protocol", "--scope", "--depth", "--states", "--walks", "--seed", "--replay"));
        for (int i = 0; i < arguments.length; i += 2) {
            if (!known.contains(arguments[i])) {
                throw new IllegalArgumentException("unknown option " + arguments[i] + "; known are " + known);
            }
            if (i + 1 == arguments.length) {
                throw new IllegalArgumentException(arguments[i] + " needs a value");
            }
            options.put(arguments[i], arguments[i + 1]);
        }
        factory = Protocols.named(options.getOrDefault("--protocol", "chain"));
        scopes = ScopeOptions.read(options, Scopes.named(factory.name()));
    }

    private boolean run() {
        if (options.containsKey("--replay")) {
            return replay();
        }
        boolean sound = true;
        for (Map.Entry<String, Scope> each : scopes.entrySet()) {
            Failure failure = options.containsKey("--walks")
                    ? walk(each.getKey(), each.getValue())
                    : explore(each.getKey(), each.getValue());
            if (failure != null) {
                sound = false;
                System.out.println(report(factory, each.getValue(), failure));
            }
        }
        return sound;
    }

    private Failure explore(String name, Scope scope) {
        Explorer explorer = new Explorer(factory, scope);
        Explorer.Result result = explorer.run(
                ScopeOptions.number(options, "--depth", Integer.MAX_VALUE),
                ScopeOptions.number(options, "--states", DEFAULT_STATES));
        System.out.println(name + " (" + ScopeOptions.print(scope) + "): " + result);
        return result.failure();
    }

    private Failure walk(String name, Scope scope) {
        int walks = ScopeOptions.number(options, "--walks", 0);
        int steps = ScopeOptions.number(options, "--depth", DEFAULT_WALK_STEPS);
        long seed = ScopeOptions.number(options, "--seed", (int) System.nanoTime() & Integer.MAX_VALUE);
        System.out.println(name + " (" + ScopeOptions.print(scope) + "): " + walks + " walks, first seed " + seed);
        Schedules schedules = new Schedules(factory, scope);
        for (int i = 0; i < walks; i++) {
            Failure failure = schedules.walk(seed + i, steps);
            if (failure != null) {
                System.out.println("seed " + (seed + i) + " failed");
                return failure;
            }
        }
        return null;
    }

    private boolean replay() {
        if (scopes.size() != 1) {
            throw new IllegalArgumentException("--replay needs to know where to begin: give --scope, or --start");
        }
        List<Choice> schedule = Choice.parse(options.get("--replay"));
        Scope scope = scopes.values().iterator().next();
        Failure failure = new Schedules(factory, scope).replay(schedule, System.out::println);
        System.out.println(failure == null ? "nothing was broken" : failure.message());
        return failure == null;
    }

    /**
     * A failure in words: what happens in the schedule, shortened first, and how to replay it.
     *
     * @param scope in which it was found
     */
    static String report(OrderingProtocolFactory factory, Scope scope, Failure failure) {
        Schedules schedules = new Schedules(factory, scope);
        Failure shortest = schedules.shrink(failure);
        StringBuilder text = new StringBuilder("exploration of protocol ")
                .append(factory.name())
                .append(" found a schedule of ")
                .append(shortest.schedule().size())
                .append(" steps that breaks a promise:\n");
        schedules.replay(shortest.schedule(), line -> text.append(line).append('\n'));
        return text.append(shortest.message())
                .append("\nreplay: bin/explore.sh --protocol ")
                .append(factory.name())
                .append(' ')
                .append(ScopeOptions.print(scope))
                .append(" --replay \"")
                .append(Choice.print(shortest.schedule()))
                .append('"')
                .toString();
    }
}
