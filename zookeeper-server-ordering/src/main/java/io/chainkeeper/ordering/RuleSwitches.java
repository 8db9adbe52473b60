package io.chainkeeper.ordering;

import java.util.List;
import java.util.stream.Stream;

/**
 * Which of the rules that safety rests on are followed: all of them in every server. The simulator takes one out at a
 * time, or two of which each does the other's work, to show that its checkers would notice
 * ({@link OrderingProtocolFactory#without}). Immutable.
 */
public final class RuleSwitches {
    /** Every rule is followed. */
    public static final RuleSwitches ALL_ON = new RuleSwitches(null, null);

    private final Enum<?> off;
    private final RuleSwitches others;

    private RuleSwitches(Enum<?> off, RuleSwitches others) {
        this.off = off;
        this.others = others;
    }

    /**
     * @param rule that nobody follows
     * @return all others are followed
     */
    public static RuleSwitches without(Enum<?> rule) {
        return new RuleSwitches(rule, null);
    }

    /**
     * Takes out one rule more.
     *
     * @param rules those there are
     * @param name of one of them
     * @return the same without it
     * @throws IllegalArgumentException if there is none of that name; the message names those there are
     */
    public RuleSwitches and(List<? extends Enum<?>> rules, String name) {
        return rules.stream()
                .filter(rule -> rule.name().equals(name))
                .findFirst()
                .map(rule -> new RuleSwitches(rule, this))
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
        return rule != off && (others == null || others.isOn(rule));
    }
}
