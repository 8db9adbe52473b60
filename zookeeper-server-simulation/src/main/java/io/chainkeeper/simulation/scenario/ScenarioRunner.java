package io.chainkeeper.simulation.scenario;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.checker.History;
import io.chainkeeper.simulation.checker.LinearizabilityChecker;
import io.chainkeeper.simulation.checker.VersionedRegister;
import io.chainkeeper.simulation.checker.VersionedRegister.State;
import io.chainkeeper.simulation.checker.VersionedRegister.Write;
import io.chainkeeper.simulation.disk.SharedDiskArray;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.register.ClientOperation;
import io.chainkeeper.simulation.register.RegisterMachine;
import io.chainkeeper.simulation.register.RegisterReplica;
import io.chainkeeper.simulation.scenario.ManualWorld.Link;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Runs a scenario: a text of commands, each followed by what it is expected to print.
 *
 * <pre>
 * # Two sentences that say what the scenario shows.
 *
 * replicas 3 chain.windowInstances=4
 * start
 * ----
 * what these two commands print, up to the next empty line
 * </pre>
 *
 * Commands (replicas are numbered from 1; {@code 1->2} is one direction, {@code 1-2} both):
 *
 * <pre>
 * replicas N [KEY=VALUE ...]    once, first: how many there may be, and the protocol's settings
 * ensemble R ... [observers R ...]  who is configured, all if not said; later: who is from now on
 * start [R ...]                 all that are configured, or some; connects them
 * propose R VALUE [if VERSION]  a client of R writes the register
 * read R                        a client of R reads it
 * deliver A->B [N]              all or N messages arrive
 * cut / heal  A->B | A-B        nothing arrives; heal also reconnects
 * break / connect A-B           what is in flight is lost, both are told
 * sync R                        what R has appended is stable
 * hold-disk / free-disk R       whether 'run' leaves R's records unstable
 * tick R [N]                    R's clock ticks
 * run [N [R ...]]               until quiet, with N ticks of all or some, each followed by quiet
 * crash R [N]                   N of its unstable records reach the disk, default 0
 * restart R                     from its disk
 * lose-disk R                   R is down and will start from an empty disk
 * install-state R               R starts anew from the newest checkpoint of whom it asked
 * members [R ...]               who votes, as far as R has executed, and whether R does
 * checkpoint R                  R's application covers what it has executed; two are kept
 * status                        roles, positions, outstanding operations, messages in flight
 * log R                         readable records
 * shared-disk N dies | revives  nobody, or everybody, has answers of disk N, from 0
 * shared-disk N is-lost | is-replaced  it comes back empty; an operator fills it
 * shared-disk N cut | heal R    whether it answers R
 * hold-shared / free-shared R   R's accesses to shared disks wait, or happen at once
 * step-shared R [N]             N steps of those that wait: a write, its force, or a read is one
 * </pre>
 *
 * {@code start} and {@code run} print only changes of role, deliveries and answers; the others print everything that
 * happens. The order checker watches throughout, and at the end what clients saw must be linearizable.
 */
final class ScenarioRunner {
    private static final String REGISTER = "r";
    private static final Set<String> NEVER_SHOWN = Set.of(
            "tick",
            "executes",
            "durable up to",
            "peer up",
            "peer down",
            "asks to write to disk",
            "asks to read from disk",
            "written to disk",
            "read from disk");
    private static final Set<String> SHOWN_BY_RUN = Set.of(
            "is now",
            "delivers",
            "answers at position",
            "needs the state of",
            "truncates below",
            "stops, as a shared disk was replaced");

    private final OrderingProtocolFactory factory;
    private final EventQueue clock = new EventQueue();
    private final List<String> output = new ArrayList<>();
    private final AtomicLong order = new AtomicLong();
    private final History history = new History(order::incrementAndGet);
    private boolean brief;
    private ManualWorld world;

    ScenarioRunner(OrderingProtocolFactory factory) {
        this.factory = factory;
    }

    /**
     * Runs a scenario.
     *
     * @param text commands with any output
     * @return the same commands with the output that they have now
     */
    static String run(OrderingProtocolFactory factory, String text) {
        ScenarioRunner runner = new ScenarioRunner(factory);
        try {
            return runner.run(text);
        } finally {
            if (runner.world != null) {
                runner.world.close();
            }
        }
    }

    private String run(String text) {
        StringBuilder result = new StringBuilder();
        boolean inOutput = false;
        for (String line : text.split("\n", -1)) {
            if (line.isEmpty()) {
                inOutput = false;
                result.append('\n');
            } else if (line.equals("----")) {
                inOutput = true;
                result.append("----\n");
                output.forEach(shown -> result.append(shown).append('\n'));
                output.clear();
            } else if (!inOutput) {
                result.append(line).append('\n');
                if (!line.startsWith("#")) {
                    execute(line.trim());
                }
            }
        }
        checkEnd();
        return result.toString().stripTrailing() + "\n";
    }

    private void checkEnd() {
        VersionedRegister register =
                new VersionedRegister(RegisterMachine.INITIAL.value(), RegisterMachine.INITIAL.version());
        new LinearizabilityChecker<>(register).check(history.operations());
    }

    private void execute(String line) {
        String[] words = line.split(" +");
        InvariantViolated.check(
                world != null || words[0].equals("replicas"), "a scenario begins with 'replicas', not '%s'", line);
        brief = words[0].equals("run") || words[0].equals("start");
        switch (words[0]) {
            case "replicas" -> create(words);
            case "ensemble" -> world.configure(ensemble(words));
            case "members" -> members(words);
            case "start" -> start(words);
            case "propose" -> propose(words);
            case "read" -> {
                client(words).submit(1, ClientOperation.read(history, 1, REGISTER, over -> {}));
                world.settle();
            }
            case "tick" -> repeat(number(words, 2, 1), () -> world.tick(number(words, 1, 0)));
            case "run" -> run(words);
            case "status" -> status();
            case "log" -> log(number(words, 1, 0));
            case "shared-disk" -> sharedDisk(number(words, 1, 0), words);
            case "deliver", "cut", "heal", "break", "connect" -> linkCommand(words);
            default -> replicaCommand(words);
        }
    }

    private static int number(String[] words, int index, int otherwise) {
        return index < words.length ? Integer.parseInt(words[index]) : otherwise;
    }

    private static void repeat(int times, Runnable action) {
        for (int i = 0; i < times; i++) {
            action.run();
        }
    }

    private void create(String[] words) {
        Map<String, String> settings = new TreeMap<>();
        for (int i = 2; i < words.length; i++) {
            String[] pair = words[i].split("=", 2);
            settings.put(pair[0], pair[1]);
        }
        int replicas = number(words, 1, 0);
        String problem = factory.settings().check(settings, replicas);
        InvariantViolated.check(problem == null, "%s", problem);
        Ensemble all = Ensemble.of(IntStream.rangeClosed(1, replicas).boxed().toList());
        world = new ManualWorld(factory, replicas, all, settings, new Trace(clock, this::show));
    }

    private static Ensemble ensemble(String[] words) {
        List<Integer> participants = new ArrayList<>();
        List<Integer> observers = new ArrayList<>();
        List<Integer> current = participants;
        for (int i = 1; i < words.length; i++) {
            if (words[i].equals("observers")) {
                current = observers;
            } else {
                current.add(number(words, i, 0));
            }
        }
        return new Ensemble(participants, observers);
    }

    private void members(String[] words) {
        List<Integer> asked = new ArrayList<>();
        for (int i = 1; i < words.length; i++) {
            asked.add(number(words, i, 0));
        }
        for (int id : asked.isEmpty() ? world.members() : asked) {
            if (world.replica(id).isRunning()) {
                Membership ordered =
                        RegisterReplica.of(world.host(id)).machine().membership();
                String known = ordered == null ? "none ordered yet" : ordered.toString();
                output.add(id + (world.host(id).isVoter() ? " votes" : " does not vote") + "; members: " + known);
            }
        }
    }

    private void show(int replica, String what, long number, Object detail) {
        if (NEVER_SHOWN.contains(what) || (brief && !SHOWN_BY_RUN.contains(what))) {
            return;
        }
        String shown = detail instanceof ByteSlice value ? world.checker().describe(value) : String.valueOf(detail);
        output.add(replica + " " + what + " " + number + (detail == null ? "" : " " + shown));
    }

    /** The replica whose client does something: the first argument. */
    private RegisterReplica client(String[] words) {
        return RegisterReplica.of(world.host(number(words, 1, 0)));
    }

    private void start(String[] words) {
        if (words.length == 1) {
            world.members().stream().filter(world.ensemble()::contains).forEach(world::start);
        }
        for (int i = 1; i < words.length; i++) {
            world.start(number(words, i, 0));
        }
    }

    private void propose(String[] words) {
        int expected = number(words, 4, VersionedRegister.ANY_VERSION);
        Write write = new Write(words[2], expected);
        client(words).submit(1, ClientOperation.write(history, 1, REGISTER, write, over -> {}));
        world.settle();
    }

    private void run(String[] words) {
        List<Integer> ticking = new ArrayList<>();
        for (int i = 2; i < words.length; i++) {
            ticking.add(number(words, i, 0));
        }
        world.run();
        repeat(number(words, 1, 0), () -> {
            for (int id : ticking.isEmpty() ? world.members() : ticking) {
                if (world.replica(id).isRunning()) {
                    world.tick(id);
                }
            }
            world.run();
        });
    }

    private void linkCommand(String[] words) {
        boolean oneWay = words[1].contains("->");
        String[] ends = words[1].split(oneWay ? "->" : "-");
        Link link = new Link(Integer.parseInt(ends[0]), Integer.parseInt(ends[1]));
        switch (words[0]) {
            case "deliver" -> world.deliver(link, number(words, 2, Integer.MAX_VALUE));
            case "break" -> world.breakLink(link);
            case "connect" -> world.connect(link);
            case "cut" -> {
                world.cut(link);
                if (!oneWay) {
                    world.cut(link.reversed());
                }
            }
            default -> {
                if (!oneWay) {
                    world.heal(link.reversed());
                }
                world.heal(link);
            }
        }
    }

    private void replicaCommand(String[] words) {
        int id = number(words, 1, 0);
        switch (words[0]) {
            case "sync" -> world.sync(id);
            case "hold-disk" -> world.holdDisk(id, true);
            case "free-disk" -> world.holdDisk(id, false);
            case "crash" -> world.crash(id, number(words, 2, 0));
            case "restart" -> world.start(id);
            case "lose-disk" -> world.loseDisk(id);
            case "install-state" -> world.installState(id);
            case "hold-shared" -> world.sharedAccesses().hold(id);
            case "free-shared" -> world.sharedAccesses().free(id);
            case "step-shared" -> world.sharedAccesses().step(id, number(words, 2, 1));
            case "checkpoint" -> world.checkpoint(id);
            default -> throw new InvariantViolated("unknown command '" + String.join(" ", words) + "'");
        }
    }

    private void sharedDisk(int number, String[] words) {
        SharedDiskArray disks = world.sharedDisks();
        switch (words[2]) {
            case "dies" -> disks.disk(number).die();
            case "revives" -> disks.disk(number).revive();
            case "is-lost" -> disks.lose(number, 1);
            case "is-replaced" -> disks.replaceNow(number);
            case "cut" -> disks.disk(number).answer(number(words, 3, 0), false);
            case "heal" -> disks.disk(number).answer(number(words, 3, 0), true);
            default -> throw new InvariantViolated("unknown command '" + String.join(" ", words) + "'");
        }
    }

    private void status() {
        for (int id : world.members()) {
            if (!world.replica(id).isRunning()) {
                output.add(id + " down");
                continue;
            }
            ReplicaHost host = world.host(id);
            State register = RegisterReplica.of(host).machine().read(REGISTER);
            output.add(id + " " + host.status().role() + " of leader "
                    + host.status().leader() + " in epoch "
                    + host.status().epoch() + ", executed " + host.position() + ", register "
                    + register.value() + " version " + register.version() + ", outstanding " + host.outstanding());
        }
        world.inFlight().forEach((link, count) -> output.add(link.from() + "->" + link.to() + " in flight: " + count));
    }

    private void log(int id) {
        for (LogRecord record : world.replica(id).log().records()) {
            output.add("position " + record.position() + " " + world.checker().describe(record.body()));
        }
    }
}
