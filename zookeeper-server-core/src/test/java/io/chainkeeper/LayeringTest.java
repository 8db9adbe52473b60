package io.chainkeeper;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchUnitRunner;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.runner.RunWith;

/** Which package may know which: docs/architecture.md, held. */
@RunWith(ArchUnitRunner.class)
@AnalyzeClasses(packages = "io.chainkeeper", importOptions = ImportOption.DoNotIncludeTests.class)
public final class LayeringTest {
    /** Dependencies point one way. */
    @ArchTest
    public static final ArchRule layersPointOneWay = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("ordering")
            .definedBy("io.chainkeeper.ordering..")
            .layer("log")
            .definedBy("io.chainkeeper.log..")
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
            .whereLayer("log")
            .mayOnlyBeAccessedByLayers("replica", "config", "main")
            .whereLayer("config")
            .mayOnlyBeAccessedByLayers("server", "main");

    /** Nor do they come back round a corner. */
    @ArchTest
    public static final ArchRule layersFormNoCircle =
            slices().matching("io.chainkeeper.(*)..").should().beFreeOfCycles();

    /** What carries a protocol has no packages in circles inside either. */
    @ArchTest
    public static final ArchRule packagesBelowTheServerFormNoCircle = slices().matching(
                    "io.chainkeeper.(ordering|log|transport|replica|command|config|main).(**)")
            .should()
            .beFreeOfCycles();

    /** One family of packages adapts ZooKeeper; nobody else sees its classes. */
    @ArchTest
    public static final ArchRule zooKeeperIsBehindAdapters = noClasses()
            .that()
            .resideOutsideOfPackages("io.chainkeeper.server..", "io.chainkeeper.config..", "io.chainkeeper.main..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache..");

    /** The core finds protocols by their name in zoo.cfg, never by their class. */
    @ArchTest
    public static final ArchRule coreNamesNoProtocol = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.chainkeeper.chain..", "io.chainkeeper.iss..");
}
