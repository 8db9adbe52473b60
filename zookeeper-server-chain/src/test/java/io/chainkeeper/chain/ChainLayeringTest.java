package io.chainkeeper.chain;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchUnitRunner;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.runner.RunWith;

/** The protocol is pure: inputs in, effects out, and nothing that could differ between two runs. */
@RunWith(ArchUnitRunner.class)
@AnalyzeClasses(packages = "io.chainkeeper.chain", importOptions = ImportOption.DoNotIncludeTests.class)
public final class ChainLayeringTest {
    /** It knows the contract and plain data, nothing else. */
    @ArchTest
    public static final ArchRule knowsOnlyTheContract = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.chainkeeper.chain..",
                    "io.chainkeeper.ordering..",
                    "java.lang",
                    "java.lang.runtime",
                    "java.lang.invoke",
                    "java.util",
                    "java.util.function",
                    "java.nio");

    /** Iteration over hash tables depends on the run; the others bring in threads, clocks or chance. */
    @ArchTest
    public static final ArchRule usesNothingThatDiffersBetweenRuns = noClasses()
            .should()
            .dependOnClassesThat()
            .haveNameMatching(
                    "java\\.util\\.(.*Hash(Map|Set|table)|Random|SplittableRandom|Timer.*)|java\\.lang\\.Thread.*");

    /** Time is an input. */
    @ArchTest
    public static final ArchRule readsNoClock = noClasses()
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime");
}
