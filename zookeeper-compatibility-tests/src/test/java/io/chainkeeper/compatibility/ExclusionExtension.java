package io.chainkeeper.compatibility;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Leaves out the methods that the suites' exclusions name, and says why. */
public final class ExclusionExtension implements ExecutionCondition {
    private final Map<String, String> excluded = new TreeMap<>();

    /** Reads the exclusions. */
    public ExclusionExtension() {
        excluded.putAll(Suite.ZOOKEEPER.excluded());
        excluded.putAll(Suite.CURATOR.excluded());
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
