package io.chainkeeper.server.bootstrap;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.server.TestEnsemble;
import io.chainkeeper.server.storage.CheckpointSchedule;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What is simulated is what ships: the same objects hold the same objects. */
public class ReplicaAssemblyTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final Set<String> differing = new TreeSet<>();
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private int compared;

    /** Each of these is given by the runtime or by whoever starts a replica; nothing else differs. */
    @Test
    public void drivenAndProductive_areWiredAlike() throws Exception {
        try (TestEnsemble ensemble = new TestEnsemble(folder.newFolder().toPath(), 1).startAll()) {
            ReplicaLife life = (ReplicaLife) value(ChainkeeperServer.class, "life", ensemble.replica(1));
            StepScheduler.OfProcess nobody = new StepScheduler().new OfProcess(1);
            DrivenServer driven = DrivenServers.of(
                    1,
                    1,
                    folder.newFolder().toPath(),
                    CheckpointSchedule.Intervals.configured(1),
                    nobody,
                    new NoSurroundings(),
                    (application, offer, failureHandler) -> {
                        throw new AssertionError("not opened");
                    },
                    (reason, e) -> {
                        throw new AssertionError(reason, e);
                    });
            driven.recover();
            compare(life, (ReplicaLife) value(DrivenServer.class, "life", driven));
        }
        assertEquals(
                new TreeSet<>(List.of(
                        "BackgroundWork.scheduler",
                        "CheckpointSchedule.failureHandler",
                        "CheckpointSchedule.scheduler",
                        "ClientPort.aside",
                        "ClientTasks.reaper",
                        "LifeSettings.configurationFile",
                        "MaintenanceSchedule.failureHandler",
                        "NextLife.failureHandler",
                        "NextLife.orderingFactory",
                        "NextLife.restart",
                        "OrderedZooKeeperServer.failureHandler",
                        "PassiveQuorumPeer.failed",
                        "PassiveQuorumPeer.life",
                        "ReplicaAssembly.aside",
                        "ReplicaCore.failureHandler",
                        "ReplicaCore.runtime",
                        "ReplicaLife.failureHandler",
                        "ReplicaLife.front",
                        "ReplicaLife.runtime",
                        "RequestWatch.clockNanos", // ZooKeeper's requests bear times of the system's clock only
                        "RequestWatch.wallMicros",
                        "RequestedSnapshots.waiting",
                        "SnapshotOnDemand.waiting",
                        "SnapshotReceiver.failureHandler",
                        "SnapshotReceiver.scheduler",
                        "StateTransfers.failureHandler",
                        "TransactionLog.scheduler",
                        "TransactionLog.writer")),
                differing);
        assertTrue("only " + compared + " fields were compared", compared > 150);
    }

    private static Object value(Class<?> type, String field, Object of) throws ReflectiveOperationException {
        Field found = type.getDeclaredField(field);
        found.setAccessible(true);
        return found.get(of);
    }

    /** Final fields only: what else changes is state. */
    private void compare(Object one, Object other) throws ReflectiveOperationException {
        if (!seen.add(one)) {
            return;
        }
        for (Class<?> type = one.getClass(); isOurs(type); type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                int modifiers = field.getModifiers();
                if (Modifier.isFinal(modifiers) && !Modifier.isStatic(modifiers) && !field.isSynthetic()) {
                    field.setAccessible(true);
                    compare(type.getSimpleName() + "." + field.getName(), field.get(one), field.get(other));
                }
            }
        }
    }

    private void compare(String field, Object one, Object other) throws ReflectiveOperationException {
        compared++;
        String type = typeOf(one);
        if (!type.equals(typeOf(other))) {
            differing.add(field);
        } else if (one != null && isOurs(one.getClass()) && !one.getClass().isSynthetic()) {
            compare(one, other);
        }
    }

    /** Collections and numbers are values; of a lambda it counts where it was written. */
    private static String typeOf(Object value) {
        String name = value == null ? "nothing" : value.getClass().getName().replaceAll("\\$\\$Lambda.*", " lambda");
        return name.startsWith("java.") ? "a value" : name;
    }

    private static boolean isOurs(Class<?> type) {
        return type.getName().startsWith("io.chainkeeper.");
    }

    /** Nothing happens to what is looked at here. */
    private static final class NoSurroundings implements DrivenServer.Surroundings {
        @Override
        public void serverStarts(OrderedZooKeeperServer server) {}

        @Override
        public void lifeEnded() {}

        @Override
        public void answerLeavesLater(long nanos) {}
    }
}
