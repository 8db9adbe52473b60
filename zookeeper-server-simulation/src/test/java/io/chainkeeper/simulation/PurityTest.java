package io.chainkeeper.simulation;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.targetOwner;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.Timer;
import java.util.UUID;
import java.util.WeakHashMap;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.BeforeParam;
import org.junit.runners.Parameterized.Parameters;

/**
 * Every protocol on the class path, and the contract, are pure: what they do is a function of their inputs, on every
 * machine.
 */
@RunWith(Parameterized.class)
public final class PurityTest {
    private static final String CONTRACT = "io.chainkeeper.ordering";

    private static String protocol;
    private static JavaClasses classes;

    public PurityTest(String name) {
        assertEquals(Protocols.named(name).getClass().getPackageName(), protocol);
    }

    /** Once for all tests of a protocol, because it takes longer than they do. */
    @BeforeParam
    public static void importClasses(String name) {
        protocol = Protocols.named(name).getClass().getPackageName();
        classes = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages(protocol, CONTRACT);
    }

    @Parameters(name = "{0}")
    public static List<String> protocols() {
        return List.copyOf(Protocols.all().keySet());
    }

    /** No threads, locks, clocks, sockets, channels, files, logging, and nothing of ZooKeeper or Netty. */
    @Test
    public void protocol_knowsItsContractOnly() {
        assertTrue("classes found", classes.size() > 20);
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        protocol + "..",
                        CONTRACT + "..",
                        "java.lang",
                        "java.lang.runtime",
                        "java.lang.invoke",
                        "java.util",
                        "java.util.function",
                        "java.util.stream",
                        "java.nio")
                .check(classes);
    }

    @Test
    public void protocolAndContract_useNoThreads() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(Thread.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Timer.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(ThreadLocal.class)
                .check(classes);
    }

    @Test
    public void protocolAndContract_useNoClockNoChanceNoSurroundings() {
        noClasses()
                .should()
                .accessTargetWhere(targetOwner(type(System.class))
                        .and(target(nameMatching(
                                "currentTimeMillis|nanoTime|getProperty|getenv|identityHashCode|out|err|in"))))
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(Random.class, SplittableRandom.class, UUID.class, Runtime.class, ProcessHandle.class)
                .orShould()
                .callMethod(Math.class, "random")
                .check(classes);
    }

    /** The order of iteration of these differs from run to run. */
    @Test
    public void protocolAndContract_useNoHashTables() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(
                        HashMap.class,
                        HashSet.class,
                        LinkedHashMap.class,
                        LinkedHashSet.class,
                        IdentityHashMap.class,
                        WeakHashMap.class)
                .check(classes);
    }
}
