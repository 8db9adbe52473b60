package io.chainkeeper.ordering;

import java.util.List;
import java.util.stream.Stream;

/**
 * Which of the rules that safety rests on are followed: all of them in every server. The simulator takes one out at a
 * time, to show that its checkers would notice ({@link OrderingProtocolFactory#without}). Immutable.
 */
public final class RuleSwitches {
    /** Every rule is followed. */
    public static final RuleSwitches ALL_ON = new RuleSwitches(null);

    private final Enum<?> off;

    private RuleSwitches(Enum<?> off) {
        this.off = off;
    }

    /**
     * @param rule that nobody follows
     * @return all others are followed
     */
    public static RuleSwitches without(Enum<?> rule) {
        return new RuleSwitches(rule);
    }

    /**
     * Finds a rule by its name.
     *
     * @param rules those there are
     * @param name of one of them
     * @return all others are followed
     * @throws IllegalArgumentException if there is none of that name; the message names those there are
     */
    public static RuleSwitches without(List<? extends Enum<?>> rules, String name) {
        return rules.stream()
                .filter(rule -> rule.name().equals(name))
                .findFirst()
                .map(RuleSwitches::without)
                .orElseThrow(() -> new IllegalArgumentException("no rule is named " + name + "; there are " + rules));
    }

    /**
     * @param own rules of a protocol
     * @param shared rules of what it is made of
     * @return all of them
     */
    public static List<Enum<?>> all(Enum<?>[] own, Enum<?>[] shared) {
        return Stream.concat(Stream.of(own), Stream.of(shared)).toList();
    }

    /**
     * @param rule of a protocol
     * @return whether it is followed
     */
    public boolean isOn(Enum<?> rule) {
        return rule != off;
    }
}
