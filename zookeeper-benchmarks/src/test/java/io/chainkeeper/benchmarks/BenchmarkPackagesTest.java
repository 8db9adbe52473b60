package io.chainkeeper.benchmarks;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchUnitRunner;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.runner.RunWith;

/** The packages of the load runner, each a slice of its own. */
@RunWith(ArchUnitRunner.class)
@AnalyzeClasses(packages = "io.chainkeeper.benchmarks", importOptions = ImportOption.DoNotIncludeTests.class)
public final class BenchmarkPackagesTest {
    @ArchTest
    public static final ArchRule packages_formNoCircle =
            slices().matching("io.chainkeeper.(**)").should().beFreeOfCycles();
}
