package io.chainkeeper.server.bootstrap;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.server.TestEnsemble;
import io.chainkeeper.server.storage.LoggedFiles;
import java.io.File;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What is simulated is what ships: the same objects hold the same objects. */
public class ReplicaAssemblyTest {
    private static final int TIMEOUT_MILLIS = 4_000;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final Set<String> differing = new TreeSet<>();
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private int compared;

    /** Each of these is given by the runtime, the environment or whoever starts a replica; nothing else differs. */
    @Test
    public void drivenAndProductive_areWiredAlike() throws Exception {
        try (TestEnsemble ensemble = new TestEnsemble(folder.newFolder().toPath(), 1).startAll()) {
            ReplicaLife life = (ReplicaLife) value(ChainkeeperServer.class, "life", ensemble.replica(1));
            File files = folder.newFolder();
            ThreadlessSettings settings = new ThreadlessSettings(
                    1,
                    Ensemble.of(List.of(1)),
                    2_000,
                    TIMEOUT_MILLIS,
                    TIMEOUT_MILLIS,
                    0,
                    0,
                    ReadConsistency.LINEARIZABLE);
            ThreadlessReplica driven = new ThreadlessReplica(
                    settings, new NoTime(), new LoggedFiles(files.toPath(), files.toPath()), null, (reason, e) -> {
                        throw new AssertionError(reason, e);
                    });
            compare(value(ReplicaLife.class, "assembly", life), value(ThreadlessReplica.class, "assembly", driven));
        }
        assertEquals(
                new TreeSet<>(List.of(
                        "AuditTasks.divergence",
                        "ClientPort.aside",
                        "ClientTasks.reaper",
                        "ClusterFormation.naming",
                        "MaintenanceSchedule.background",
                        "MaintenanceSchedule.failureHandler",
                        "OrderedApplication.checkpoints",
                        "OrderedZooKeeperServer.failureHandler",
                        "PassiveQuorumPeer.failed",
                        "PassiveQuorumPeer.life",
                        "ReplicaAssembly.aside",
                        "ReplicaAssembly.environment",
                        "ReplicaCore.failureHandler",
                        "ReplicaCore.runtime")),
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

    /** Nothing of what is looked at here takes time. */
    private static final class NoTime implements ThreadlessReplica.Surroundings {
        @Override
        public long monotonicMillis() {
            return 0;
        }

        @Override
        public long wallClockMillis() {
            return 1;
        }

        @Override
        public UUID newClusterId() {
            return new UUID(1, 1);
        }

        @Override
        public void execute(Runnable task) {}

        @Override
        public void everyMillis(long periodMillis, Runnable task) {}

        @Override
        public void afterMillis(long delayMillis, Runnable task) {}
    }
}
