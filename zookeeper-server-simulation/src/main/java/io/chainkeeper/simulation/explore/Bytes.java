package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.ByteSlice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Numbers byte strings in the order in which they turn up, from 0, so that a state can name them. */
final class Bytes {
    private final Map<ByteSlice, Integer> numbers = new HashMap<>();
    private final List<ByteSlice> strings = new ArrayList<>();

    int numberOf(ByteSlice bytes) {
        Integer known = numbers.get(bytes);
        if (known != null) {
            return known;
        }
        ByteSlice own = ByteSlice.of(bytes.toByteArray());
        numbers.put(own, strings.size());
        strings.add(own);
        return strings.size() - 1;
    }

    ByteSlice get(int number) {
        return strings.get(number);
    }
}
