package io.chainkeeper.clienttests.harness;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import org.junit.Assume;
import org.junit.rules.TestRule;
import org.junit.runners.model.Statement;

/**
 * Cases that combine what other cases prove one by one: builds run a part of them that has each story, and each
 * protocol and size that it is told with. {@code -Densemble.combinations=all} runs all. Stateless.
 */
public final class Combinations {
    private static final String ASKED = System.getProperty("ensemble.combinations", "drawn");

    private Combinations() {}

    /** On a test that is one story with several protocols or sizes: with which of them it is run. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    public @interface DrawnWith {
        /** The protocol, or the number of servers. */
        String value();
    }

    /** Returns whether every case is to be run. */
    public static boolean areAllAsked() {
        return ASKED.equals("all");
    }

    /**
     * Returns the rule that skips tests that are {@link DrawnWith} another protocol or size. It lies outside those that
     * start something.
     *
     * @param variant of this case
     * @param variants of all cases
     */
    public static TestRule drawn(String variant, List<String> variants) {
        return (test, description) -> new Statement() {
            @Override
            public void evaluate() throws Throwable {
                DrawnWith drawn = description.getAnnotation(DrawnWith.class);
                boolean isRun = areAllAsked()
                        || drawn == null
                        || drawn.value().equals(variant)
                        || !variants.contains(drawn.value());
                Assume.assumeTrue("skipped without -Densemble.combinations=all", isRun);
                test.evaluate();
            }
        };
    }
}
