package io.chainkeeper.simulation.explore;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Numbers things in the order in which they turn up, from 0, so that an input can name them. */
final class Numbered<T> {
    private final Map<T, Integer> numbers = new HashMap<>();
    private final List<T> things = new ArrayList<>();

    int numberOf(T thing) {
        Integer known = numbers.putIfAbsent(thing, things.size());
        if (known == null) {
            things.add(thing);
        }
        return known == null ? things.size() - 1 : known;
    }

    T get(int number) {
        return things.get(number);
    }
}
