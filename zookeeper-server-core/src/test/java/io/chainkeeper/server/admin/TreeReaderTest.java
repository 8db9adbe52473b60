package io.chainkeeper.server.admin;

import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.Test;

/** Parts of a long list of names. */
public class TreeReaderTest {
    @Test
    public void smallest_areTheFirstOfTheSortedOnes() {
        SplittableRandom random = new SplittableRandom(7);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            names.add(Long.toString(random.nextLong(1_000_000), 36));
        }
        List<String> sorted = names.stream().sorted().toList();
        for (int at : new int[] {0, 1, 777, 4_990, 4_999}) {
            List<String> shown = TreeReader.smallest(names, sorted.get(at), 50);
            int first = sorted.indexOf(sorted.get(at));
            assertEquals(sorted.subList(first, Math.min(sorted.size(), first + 50)), shown);
        }
        assertEquals(sorted.subList(0, 50), TreeReader.smallest(names, "", 50));
        assertEquals(List.of(), TreeReader.smallest(names, "~", 50));
        assertEquals(List.of("a"), TreeReader.smallest(List.of("a"), "a", 50));
    }
}
