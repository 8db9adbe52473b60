package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.ChainMessage.Accept;
import io.chainkeeper.chain.ChainMessage.RedirectRequest;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.Test;

/** Commands of one proposer: each executed once, in order, whatever happens to leaders and links. */
public final class CommandOrderTest {
    private ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
    private int leader = ensemble.awaitLeader();
    private int middle = ensemble.behindLeader(leader, 1);
    private int tail = ensemble.behindLeader(leader, 2);

    private static List<String> numbered(String prefix, int count) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(prefix + i);
        }
        return texts;
    }

    private static List<String> of(ScriptedReplica replica, String prefix) {
        return replica.executed.stream().filter(t -> t.startsWith(prefix)).toList();
    }

    /** C9: leaders change while all replicas propose; nothing is lost, doubled or reordered. */
    @Test
    public void leaderChangesUnderLoad_eachRequestOnceInSessionOrder() {
        int[] proposed = new int[4];
        for (int change = 0; change < 8; change++) {
            int current = ensemble.awaitLeader();
            for (int i = 0; i < 40; i++) {
                int id = 1 + i % 3;
                ensemble.replica(id).propose(id + "/" + proposed[id]++);
                if (i % 7 == 0) {
                    ensemble.deliver(id, current);
                }
            }
            ensemble.isolate(current);
            ensemble.runUntil(
                    "another leader",
                    300,
                    () -> others(current).stream()
                            .anyMatch(id -> ensemble.replica(id).leads()));
            ensemble.rejoin(current);
        }
        ensemble.awaitLeader();
        ensemble.run(60);
        for (int id = 1; id <= 3; id++) {
            for (int proposer = 1; proposer <= 3; proposer++) {
                assertEquals(numbered(proposer + "/", proposed[proposer]), of(ensemble.replica(id), proposer + "/"));
            }
            assertEquals(0, ensemble.replica(id).gauge("commands_outstanding"));
        }
    }

    private static List<Integer> others(int id) {
        return List.of(1, 2, 3).stream().filter(other -> other != id).toList();
    }

    /** Links between the proposer and the leader break at random moments. */
    @Test
    public void linksBreakUnderLoad_eachCommandOnceInOrder() {
        Random random = new Random(11);
        for (int i = 0; i < 300; i++) {
            ensemble.replica(tail).propose("w" + i);
            int messages = random.nextInt(3);
            for (int j = 0; j < messages; j++) {
                ensemble.deliver(tail, leader);
            }
            if (random.nextInt(5) == 0) {
                ensemble.breakLink(tail, leader);
            }
            if (random.nextInt(10) == 0) {
                ensemble.run(1);
            }
        }
        ensemble.run(20);
        for (int id = 1; id <= 3; id++) {
            assertEquals(numbered("w", 300), of(ensemble.replica(id), "w"));
        }
    }

    /** The leader takes of each proposer only the command that is next: a later one must not overtake a lost one. */
    @Test
    public void forwardWithGap_laterCommandsAreNotTaken() {
        ScriptedReplica head = ensemble.replica(leader);
        Ballot ballot = new Ballot(head.status().epoch(), leader);
        head.input(p ->
                p.onMessage(tail, new RedirectRequest(ballot, 1, List.of(ByteSliceOf.command(tail, 2, "second")))));
        ensemble.run(2);
        assertEquals(List.of(), head.executed);
        head.input(p -> p.onMessage(
                tail,
                new RedirectRequest(
                        ballot,
                        1,
                        List.of(ByteSliceOf.command(tail, 1, "first"), ByteSliceOf.command(tail, 2, "second")))));
        head.input(p -> p.onMessage(
                tail,
                new RedirectRequest(
                        ballot,
                        1,
                        List.of(ByteSliceOf.command(tail, 2, "second"), ByteSliceOf.command(tail, 3, "third")))));
        ensemble.run(2);
        assertEquals(List.of("first", "second", "third"), head.executed);
    }

    /** What is forwarded for another ballot is left to be forwarded again. */
    @Test
    public void forwardOfOldBallot_isNotTaken() {
        ScriptedReplica head = ensemble.replica(leader);
        Ballot old = new Ballot(head.status().epoch() - 1, leader);
        head.input(p -> p.onMessage(tail, new RedirectRequest(old, 1, List.of(ByteSliceOf.command(tail, 1, "a")))));
        ensemble.run(2);
        assertEquals(List.of(), head.executed);
    }

    /**
     * A new leader recovers a later command of a stream without an earlier one, because a ballot in between decided
     * another value. The later one is skipped everywhere, and its proposer's whole sequence comes again.
     */
    @Test
    public void laterCommandRecoveredWithoutEarlier_bothAreExecutedOnceInOrder() {
        ensemble.stall(middle, tail);
        ensemble.stall(middle, leader);
        ensemble.stall(leader, middle);
        ensemble.replica(leader).propose("first");
        ensemble.replica(leader).propose("second");
        ensemble.settle();
        ensemble.isolate(leader);
        ensemble.breakLink(middle, tail);
        ensemble.unstall(middle, tail);
        ensemble.unstall(middle, leader);
        ensemble.unstall(leader, middle);
        ensemble.runUntil(
                "a new leader",
                300,
                () -> others(leader).stream()
                        .anyMatch(id -> ensemble.replica(id).leads()));
        ensemble.replica(middle).propose("other");
        ensemble.run(5);
        int next = ensemble.replica(middle).leads() ? middle : tail;
        ensemble.crash(next);
        ensemble.heal(
                leader,
                others(leader).stream().filter(id -> id != next).findFirst().orElseThrow());
        ensemble.awaitLeader();
        ensemble.run(30);
        List<String> executed = ensemble.replica(leader).executed;
        assertEquals(List.of("other", "first", "second"), executed);
        assertEquals(0, ensemble.replica(leader).gauge("commands_outstanding"));
    }

    /** Commands of a replica that restarted are of a new incarnation and begin anew. */
    @Test
    public void proposerRestarts_newIncarnationBeginsAnew() {
        ensemble.replica(tail).propose("old");
        ensemble.settle();
        ensemble.restart(tail);
        ensemble.replica(tail).propose("new");
        ensemble.runUntil("execution", 20, () -> ensemble.replica(tail).executed.contains("new"));
        assertEquals(List.of("old", "new"), ensemble.replica(tail).executed);
    }

    /** A command that nobody could order waits, and is ordered when there is a leader. */
    @Test
    public void proposedWithoutLeader_isOrderedLater() {
        ensemble.crash(leader);
        ensemble.crash(middle);
        ensemble.run(60);
        ensemble.replica(tail).propose("a");
        ensemble.run(5);
        ensemble.start(middle);
        ensemble.awaitLeader();
        ensemble.run(5);
        assertEquals(List.of("a"), ensemble.replica(tail).executed);
    }

    /** At most a window of instances is undecided; what waits goes into few large batches. */
    @Test
    public void windowFull_commandsWaitAndAreBatched() {
        ScriptedEnsemble small = ScriptedEnsemble.started(3, Map.of("chain.windowInstances", "2"));
        int head = small.awaitLeader();
        small.stop(small.behindLeader(head, 1));
        small.stop(small.behindLeader(head, 2));
        for (int i = 0; i < 50; i++) {
            small.replica(head).propose("w" + i);
        }
        assertEquals(2, small.replica(head).gauge("max_accepted"));
        assertEquals(48, small.replica(head).gauge("commands_waiting"));
        small.resume(small.behindLeader(head, 1));
        small.resume(small.behindLeader(head, 2));
        small.run(3);
        assertEquals(numbered("w", 50), small.replica(head).executed);
        assertEquals(3, small.replica(head).gauge("max_decided"));
    }

    /** A batch is bounded by commands and by bytes, unless one command is larger alone. */
    @Test
    public void manyCommandsWait_batchesStayWithinTheirBounds() {
        ScriptedEnsemble bounded =
                ScriptedEnsemble.started(3, Map.of("chain.maxBatchCommands", "10", "chain.maxBatchBytes", "1024"));
        int head = bounded.awaitLeader();
        ScriptedReplica replica = bounded.replica(head);
        for (int i = 0; i < 25; i++) {
            String text = "s" + i;
            replica.propose(text);
        }
        replica.propose("L".repeat(5_000));
        for (int i = 0; i < 4; i++) {
            replica.propose(i + "m".repeat(400));
        }
        bounded.run(3);
        assertEquals(30, replica.executed.size());
        replica.delivered.values().forEach(value -> {
            int commands = ScriptedReplica.commands(value).size();
            assertTrue(commands <= 10 && (commands == 1 || value.length() <= 1024 + 4));
        });
    }

    /** The value that the leader packed is what everybody receives, byte for byte. */
    @Test
    public void batch_isForwardedUnchanged() {
        ensemble.sent.clear();
        ensemble.replica(leader).propose("a");
        ensemble.settle();
        List<Accept> accepts = ensemble.sent.stream()
                .filter(s -> s.message() instanceof Accept)
                .map(s -> (Accept) s.message())
                .toList();
        assertEquals(2, accepts.size());
        assertEquals(accepts.get(0).value(), accepts.get(1).value());
        assertEquals(accepts.get(0).value(), ensemble.log(tail).at(1).body());
    }
}
