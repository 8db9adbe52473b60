package io.chainkeeper.compatibility;

import java.util.Properties;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * After each test class, puts the system properties back: ZooKeeper runs each class in a JVM of its own, and some leave
 * the settings of their server behind.
 */
public final class SystemPropertiesExtension implements BeforeAllCallback, AfterAllCallback {
    private static final Object KEY = SystemPropertiesExtension.class;

    @Override
    public void beforeAll(ExtensionContext context) {
        Properties before = new Properties();
        before.putAll(System.getProperties());
        store(context).put(KEY, before);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        System.setProperties(store(context).remove(KEY, Properties.class));
    }

    private static ExtensionContext.Store store(ExtensionContext context) {
        return context.getStore(
                ExtensionContext.Namespace.create(SystemPropertiesExtension.class, context.getRequiredTestClass()));
    }
}
