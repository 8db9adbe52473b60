package io.chainkeeper.simulation.scenario;

import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.Protocols;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** What the settings of every protocol have in common. */
@RunWith(Parameterized.class)
public class ProtocolSettingsTest {
    private final OrderingProtocolFactory factory;

    public ProtocolSettingsTest(String protocol) {
        this.factory = Protocols.named(protocol);
    }

    @Parameters(name = "{0}")
    public static List<String> protocols() {
        return List.copyOf(Protocols.all().keySet());
    }

    @Test
    public void keys_beginWithTheNameOfTheProtocol() {
        assertTrue(factory.settings().names().stream().allMatch(key -> key.startsWith(factory.name() + ".")));
        assertTrue(factory.streamCount(3) >= 1);
    }

    @Test
    public void nonsense_isRefusedWithAReason() {
        Set<String> keys = new TreeSet<>(factory.settings().names());
        if (factory.sharedDisks() != null) {
            keys.remove(factory.sharedDisks().pathsKey()); // any text may be a path
        }
        for (String key : keys) {
            assertNotNull(key, factory.settings().check(Map.of(key, "nonsense"), 3));
        }
    }
}
