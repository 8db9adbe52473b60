package io.chainkeeper.iss;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.targetOwner;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchUnitRunner;
import com.tngtech.archunit.lang.ArchRule;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.Timer;
import java.util.UUID;
import java.util.WeakHashMap;
import org.junit.runner.RunWith;

/** The protocol and its contract are pure: what they do is a function of their inputs, on every machine. */
@RunWith(ArchUnitRunner.class)
@AnalyzeClasses(
        packages = {"io.chainkeeper.iss", "io.chainkeeper.ordering"},
        importOptions = ImportOption.DoNotIncludeTests.class)
public final class PurityTest {
    /** No threads, locks, clocks, sockets, channels, files, logging, and nothing of ZooKeeper or Netty. */
    @ArchTest
    public static final ArchRule protocolKnowsItsContractOnly = classes()
            .that()
            .resideInAPackage("io.chainkeeper.iss..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.chainkeeper.iss..",
                    "io.chainkeeper.ordering..",
                    "java.lang",
                    "java.lang.runtime",
                    "java.lang.invoke",
                    "java.util",
                    "java.util.function",
                    "java.util.stream",
                    "java.nio");

    @ArchTest
    public static final ArchRule noThreads = noClasses()
            .should()
            .dependOnClassesThat()
            .areAssignableTo(Thread.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Timer.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(ThreadLocal.class);

    @ArchTest
    public static final ArchRule noClockNoChanceNoSurroundings = noClasses()
            .should()
            .accessTargetWhere(targetOwner(type(System.class))
                    .and(target(
                            nameMatching("currentTimeMillis|nanoTime|getProperty|getenv|identityHashCode|out|err|in"))))
            .orShould()
            .dependOnClassesThat()
            .belongToAnyOf(Random.class, SplittableRandom.class, UUID.class, Runtime.class, ProcessHandle.class)
            .orShould()
            .callMethod(Math.class, "random");

    /** The order of iteration of these differs from run to run. */
    @ArchTest
    public static final ArchRule noHashTables = noClasses()
            .should()
            .dependOnClassesThat()
            .belongToAnyOf(HashMap.class, HashSet.class, LinkedHashMap.class, IdentityHashMap.class, WeakHashMap.class);
}
