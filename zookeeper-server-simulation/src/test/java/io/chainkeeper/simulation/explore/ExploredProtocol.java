package io.chainkeeper.simulation.explore;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.Protocols;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A protocol whose named scopes are explored, with all its rules and without one of them. */
final class ExploredProtocol {
    private static final int MAX_STATES = 2_000_000;

    private final OrderingProtocolFactory factory;
    private final Map<String, Scope> scopes;
    private final String heading;

    /**
     * @param name of the protocol
     * @param heading of the table that says how large its scopes are, see {@link DocumentedScopes}
     */
    ExploredProtocol(String name, String heading) {
        this.factory = Protocols.named(name);
        this.scopes = Scopes.named(name);
        this.heading = heading;
    }

    Scope scope(String name) {
        return scopes.get(name);
    }

    /** The scope is exhausted, is as large as documented, and nothing goes wrong in it. */
    void assertFindsNothing(String name) {
        Explorer.Result result = new Explorer(factory, scope(name)).run(Integer.MAX_VALUE, MAX_STATES);
        System.out.println("exploration of " + factory.name() + ", " + name + ": " + result);
        if (result.failure() != null) {
            fail(Explore.report(factory, scope(name), result.failure()));
        }
        assertTrue(result.toString(), result.exhausted());
        DocumentedScopes.assertAsLarge(heading, name, result);
    }

    /** Without a rule something goes wrong, which these words tell, and goes wrong again when it is replayed. */
    void assertFound(String missing, Scope scope, String words) {
        OrderingProtocolFactory broken = factory.without(missing);
        Failure failure =
                new Explorer(broken, scope).run(Integer.MAX_VALUE, MAX_STATES).failure();
        assertNotNull("without " + missing + " nothing was found", failure);
        assertTrue(failure.message(), failure.message().contains(words));
        System.out.println("without " + missing + ", " + failure.schedule().size() + " steps: "
                + Choice.print(failure.schedule()));
        assertEquals(failure.message(), replay(broken, scope, failure).message());
    }

    private static Failure replay(OrderingProtocolFactory broken, Scope scope, Failure failure) {
        return new Schedules(broken, scope).replay(failure.schedule(), null);
    }

    /** Every named scope is the same when it was printed as options and read. */
    void assertScopesReadBack() {
        for (Scope scope : scopes.values()) {
            String[] words = ScopeOptions.print(scope).split(" ");
            Map<String, String> options = new TreeMap<>();
            for (int i = 0; i < words.length; i += 2) {
                options.put(words[i], words[i + 1]);
            }
            assertEquals(
                    List.of(scope),
                    List.copyOf(ScopeOptions.read(options, scopes).values()));
        }
    }
}
