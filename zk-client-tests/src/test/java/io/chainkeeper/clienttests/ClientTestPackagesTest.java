package io.chainkeeper.clienttests;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchUnitRunner;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.runner.RunWith;

/** The packages of these tests, each a slice of its own. */
@RunWith(ArchUnitRunner.class)
@AnalyzeClasses(packages = "io.chainkeeper.clienttests")
public final class ClientTestPackagesTest {
    @ArchTest
    public static final ArchRule packages_formNoCircle =
            slices().matching("io.chainkeeper.(**)").should().beFreeOfCycles();
}
