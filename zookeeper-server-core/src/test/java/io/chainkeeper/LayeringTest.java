package io.chainkeeper;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.Assert.assertEquals;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchUnitRunner;
import com.tngtech.archunit.lang.ArchRule;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.replica.ApplyRule;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.server.session.SessionRule;
import io.chainkeeper.server.session.SessionTable;
import io.chainkeeper.server.state.FeatureRule;
import io.chainkeeper.server.state.FeatureState;
import io.chainkeeper.server.state.ReconfigRule;
import io.chainkeeper.server.state.ReplicatedState;
import java.io.IOException;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.runner.RunWith;

/** Which package may know which: docs/architecture.md, held. */
@RunWith(ArchUnitRunner.class)
@AnalyzeClasses(
        packages = "io.chainkeeper",
        importOptions = {
            ImportOption.DoNotIncludeTests.class,
            LayeringTest.DoNotIncludeTestJars.class,
            LayeringTest.DoNotIncludeProtocols.class
        })
public final class LayeringTest {
    /** Tests of other modules lie in jars once these modules are packaged. */
    public static final class DoNotIncludeTestJars implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("-tests.jar");
        }
    }

    /** A protocol is here for tests only. */
    public static final class DoNotIncludeProtocols implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/zookeeper-server-disk");
        }
    }

    /** Dependencies point one way. */
    @ArchTest
    public static final ArchRule layersPointOneWay = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("ordering")
            .definedBy("io.chainkeeper.ordering..")
            .layer("release")
            .definedBy("io.chainkeeper.release..")
            .layer("file")
            .definedBy("io.chainkeeper.file..")
            .layer("log")
            .definedBy("io.chainkeeper.log..")
            .layer("shareddisk")
            .definedBy("io.chainkeeper.shareddisk..")
            .layer("transport")
            .definedBy("io.chainkeeper.transport..")
            .layer("replica")
            .definedBy("io.chainkeeper.replica..")
            .layer("command")
            .definedBy("io.chainkeeper.command..")
            .layer("config")
            .definedBy("io.chainkeeper.config..")
            .layer("server")
            .definedBy("io.chainkeeper.server..")
            .layer("main")
            .definedBy("io.chainkeeper.main..")
            .whereLayer("main")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("server")
            .mayOnlyBeAccessedByLayers("main")
            .whereLayer("command")
            .mayOnlyBeAccessedByLayers("server")
            .whereLayer("replica")
            .mayOnlyBeAccessedByLayers("server", "main")
            .whereLayer("transport")
            .mayOnlyBeAccessedByLayers("replica", "config", "server", "main")
            .whereLayer("shareddisk")
            .mayOnlyBeAccessedByLayers("replica", "config", "main")
            .whereLayer("log")
            .mayOnlyBeAccessedByLayers("replica", "config", "main")
            .whereLayer("config")
            .mayOnlyBeAccessedByLayers("server", "main");

    /** Nor do they come back round a corner. */
    @ArchTest
    public static final ArchRule layersFormNoCircle =
            slices().matching("io.chainkeeper.(*)..").should().beFreeOfCycles();

    /** Nor does any package with any other: each can be read, and changed, with those above it in the table. */
    @ArchTest
    public static final ArchRule packagesFormNoCircle =
            slices().matching("io.chainkeeper.(**)").should().beFreeOfCycles();

    /** docs/architecture.md: each package may use those above it in the table, not those below. */
    @ArchTest
    public static void packagesUseThoseAboveThemInTheTable(JavaClasses classes) throws IOException {
        PackageTable table = PackageTable.read();
        SortedSet<String> findings = new TreeSet<>();
        SortedSet<String> withoutClasses = table.packages();
        for (JavaClass each : classes) {
            if (each.getSimpleName().equals("package-info")) {
                continue;
            }
            withoutClasses.remove(each.getPackageName());
            if (table.rowOf(each.getPackageName()) == PackageTable.NO_ROW) {
                findings.add(each.getPackageName() + " is not in the table");
            }
            for (Dependency use : each.getDirectDependenciesFromSelf()) {
                String used = use.getTargetClass().getPackageName();
                if (table.rowOf(used) > table.rowOf(each.getPackageName())) {
                    findings.add(use.getDescription());
                }
            }
        }
        assertEquals(String.join("\n", findings), Set.of(), findings);
        assertEquals("listed packages that are not there", Set.of(), withoutClasses);
    }

    /** One family of packages adapts ZooKeeper; nobody else sees its classes. */
    @ArchTest
    public static final ArchRule zooKeeperIsBehindAdapters = noClasses()
            .that()
            .resideOutsideOfPackages("io.chainkeeper.server..", "io.chainkeeper.config..", "io.chainkeeper.main..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache..");

    /** Rules are taken out by the simulator only. */
    @ArchTest
    public static final ArchRule serversFollowAllRules =
            noClasses().should().callMethod(OrderingProtocolFactory.class, "without", String.class);

    /** The same for rules of execution. */
    @ArchTest
    public static final ArchRule serversApplyByAllRules =
            noClasses().should().callMethod(ProposerTable.class, "doWithout", ApplyRule.class);

    /** The same for rules of feature levels. */
    @ArchTest
    public static final ArchRule serversKeepToFeatureLevels =
            noClasses().should().callMethod(FeatureState.class, "doWithout", FeatureRule.class);

    /** The same for rules of sessions. */
    @ArchTest
    public static final ArchRule serversCompareExpiries =
            noClasses().should().callMethod(SessionTable.class, "doWithout", SessionRule.class);

    /** The same for rules of {@code reconfig}. */
    @ArchTest
    public static final ArchRule serversEndReconfigs =
            noClasses().should().callMethod(ReplicatedState.class, "doWithout", ReconfigRule.class);

    /** The core finds protocols by their name in zoo.cfg, never by their class. */
    @ArchTest
    public static final ArchRule coreNamesNoProtocol = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.chainkeeper.chain..", "io.chainkeeper.iss..", "io.chainkeeper.disk..");
}
