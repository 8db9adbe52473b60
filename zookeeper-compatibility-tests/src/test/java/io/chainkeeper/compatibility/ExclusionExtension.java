package io.chainkeeper.compatibility;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Leaves out the methods that the suites' exclusions name, and says why. System property
 * {@code compatibility.allSuites} is true when the impatient ones are to be run.
 */
public final class ExclusionExtension implements ExecutionCondition {
    private final Map<String, String> excluded = new TreeMap<>();

    /** Reads the exclusions. */
    public ExclusionExtension() {
        for (Suite suite : List.of(Suite.ZOOKEEPER, Suite.CURATOR)) {
            excluded.putAll(suite.excluded());
            if (!Boolean.getBoolean("compatibility.allSuites")) {
                excluded.putAll(suite.impatient());
            }
        }
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        String name = context.getRequiredTestClass().getName()
                + context.getTestMethod().map(method -> "#" + method.getName()).orElse("");
        String reason = excluded.get(name);
        return reason == null
                ? ConditionEvaluationResult.enabled("not excluded")
                : ConditionEvaluationResult.disabled(reason);
    }
}
