package io.chainkeeper.server.state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.server.state.FeatureState.Runs;
import java.util.List;
import java.util.UUID;
import org.junit.Test;

/** The level rises when all know it, never falls, and is part of what checkpoints hold. */
public class FeatureStateTest {
    private static final FeatureLevel SECOND = new FeatureLevel(2, "0.2.0");
    private static final Runs OLD = new Runs("0.1.9", new FeatureRange(1, 1));
    private static final Runs NEW = new Runs("0.2.0", new FeatureRange(1, 2));
    private static final Runs NEXT = new Runs("0.3.0", new FeatureRange(2, 3));

    private static ReplicatedState formed() {
        ReplicatedState state = ReplicatedState.initial(0);
        state.formed(new UUID(1, 2), 3, FeatureLevel.FIRST);
        return state;
    }

    @Test
    public void levelRises_whenAllNamedServersKnowIt() {
        FeatureState features = formed().features();
        features.said(1, NEW);
        features.said(2, NEW);
        assertFalse("nothing is known of server 3", features.raise(SECOND, List.of(1, 2, 3)));
        features.said(3, OLD);
        assertFalse("server 3 does not know it", features.raise(SECOND, List.of(1, 2, 3)));
        assertEquals(1, features.level().number());
        features.said(3, NEW);
        assertTrue(features.raise(SECOND, List.of(1, 2, 3)));
        assertEquals(SECOND, features.level());
        assertFalse("it is in force already", features.raise(SECOND, List.of(1, 2, 3)));
        assertFalse("it never falls", features.raise(FeatureLevel.FIRST, List.of(1, 2, 3)));
    }

    /** A server that has gone back a moment before is not left behind. */
    @Test
    public void whatAServerHasSaidLast_counts() {
        FeatureState features = formed().features();
        features.said(1, NEW);
        features.said(2, NEW);
        features.said(2, OLD);
        assertFalse(features.raise(SECOND, List.of(1, 2)));
    }

    @Test
    public void highestCommonLevel_isKnownToAll() {
        FeatureState features = formed().features();
        assertEquals("nobody has said anything", 0, features.highestCommon(List.of(1)));
        features.said(1, NEW);
        features.said(2, NEXT);
        assertEquals(2, features.highestCommon(List.of(1, 2)));
        features.said(3, OLD);
        assertEquals("nothing is common to 2 and 3", 0, features.highestCommon(List.of(1, 2, 3)));
    }

    @Test
    public void newCluster_beginsWithTheNewestThatItsServersKnow() {
        FeatureState features = ReplicatedState.initial(0).features();
        assertEquals(2, features.forFounding(List.of(1, 2, 3), NEW.levels()).number());
        features.said(2, OLD);
        assertEquals(1, features.forFounding(List.of(1, 2, 3), NEW.levels()).number());
    }

    @Test
    public void beforeTheClusterIsFormed_nothingIsRaised() {
        FeatureState features = ReplicatedState.initial(0).features();
        features.said(1, NEW);
        assertFalse(features.raise(SECOND, List.of(1)));
    }

    @Test
    public void levelAndReleases_areInTheCheckpoint() throws Exception {
        ReplicatedState state = formed();
        state.features().said(1, NEW);
        state.features().said(200, NEXT);
        assertTrue(state.features().raise(SECOND, List.of(1, 200)));
        ByteSlice bytes = state.encode();
        ReplicatedState decoded = ReplicatedState.decode(bytes);
        assertEquals(SECOND, decoded.features().level());
        assertEquals(state.features().runs(), decoded.features().runs());
        assertEquals(bytes, decoded.encode());
    }

    @Test
    public void refusal_namesLevelReleaseAndWhatToStart() {
        assertNull(SECOND.refusal(NEW.levels(), NEW.release()));
        assertNull(FeatureLevel.NONE.refusal(NEXT.levels(), NEXT.release()));
        assertEquals(
                "feature level 2 is in force, but release 0.1.9 knows feature level 1 only: start release 0.2.0 or"
                        + " later",
                SECOND.refusal(OLD.levels(), OLD.release()));
        assertEquals(
                "feature level 1 is in force, but release 0.3.0 knows feature levels 2 to 3 only: start the release"
                        + " before it, which raises the level, first on all servers",
                FeatureLevel.FIRST.refusal(NEXT.levels(), NEXT.release()));
    }
}
