package io.chainkeeper.ordering;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The keys of a protocol in zoo.cfg: their defaults, their ranges, and what the user is told otherwise.
 * Values are as the user wrote them; spaces around them are ignored.
 */
public final class SettingKeys {
    private record Range(int defaultValue, int least, int most, boolean upToMembers) {
        int most(int memberCount) {
            return upToMembers ? memberCount : most;
        }
    }

    private record Text(String defaultValue, String range, TextRule rule) {}

    private record AtLeast(String key, String otherKey, int factor) {}

    /** What a text may be. */
    @FunctionalInterface
    public interface TextRule {
        /**
         * Checks a text.
         *
         * @param text as the user wrote it, without spaces around it, not empty
         * @return null, or what is wrong with it and what to give instead, in words that go on behind key and value
         */
        String problem(String text);
    }

    private final Map<String, Range> numbers = new TreeMap<>();
    private final Map<String, List<String>> choices = new TreeMap<>();
    private final Map<String, Text> texts = new TreeMap<>();
    private final List<AtLeast> atLeast;

    private SettingKeys(Builder builder) {
        numbers.putAll(builder.numbers);
        choices.putAll(builder.choices);
        texts.putAll(builder.texts);
        atLeast = List.copyOf(builder.atLeast);
    }

    /** Collects the keys of a protocol. */
    public static final class Builder {
        private final Map<String, Range> numbers = new TreeMap<>();
        private final Map<String, List<String>> choices = new TreeMap<>();
        private final Map<String, Text> texts = new TreeMap<>();
        private final List<AtLeast> atLeast = new ArrayList<>();

        /**
         * A whole number.
         *
         * @param key as in zoo.cfg
         * @param defaultValue if the user gives none
         * @param least the user may give
         * @param most the user may give
         * @return this
         */
        public Builder number(String key, int defaultValue, int least, int most) {
            numbers.put(key, new Range(defaultValue, least, most, false));
            return this;
        }

        /**
         * A whole number that may not exceed the number of voting members.
         *
         * @param key as in zoo.cfg
         * @param defaultValue if the user gives none
         * @param least the user may give
         * @return this
         */
        public Builder numberUpToMembers(String key, int defaultValue, int least) {
            numbers.put(key, new Range(defaultValue, least, 0, true));
            return this;
        }

        /**
         * One of some words.
         *
         * @param key as in zoo.cfg
         * @param words that the user may give; the first is the default
         * @return this
         */
        public Builder choice(String key, String... words) {
            choices.put(key, List.of(words));
            return this;
        }

        /**
         * Words whose meaning the host knows; only an empty value is refused here.
         *
         * @param key as in zoo.cfg
         * @param defaultValue if the user gives none; empty if there is none
         * @param range what it may be, as documents and messages say it
         * @return this
         */
        public Builder text(String key, String defaultValue, String range) {
            return text(key, defaultValue, range, text -> null);
        }

        /**
         * Words of a form of their own.
         *
         * @param key as in zoo.cfg
         * @param defaultValue if the user gives none; empty if there is none
         * @param range what it may be, as documents and messages say it
         * @param rule what is wrong with a value
         * @return this
         */
        public Builder text(String key, String defaultValue, String range, TextRule rule) {
            texts.put(key, new Text(defaultValue, range, rule));
            return this;
        }

        /**
         * Two numbers that have to fit together.
         *
         * @param key whose value has to be at least
         * @param factor times
         * @param otherKey the value of this one
         * @return this
         */
        public Builder atLeast(String key, int factor, String otherKey) {
            atLeast.add(new AtLeast(key, otherKey, factor));
            return this;
        }

        /** @return the keys */
        public SettingKeys build() {
            return new SettingKeys(this);
        }
    }

    /** @return all keys, ascending */
    public Set<String> names() {
        Set<String> names = new TreeSet<>(numbers.keySet());
        names.addAll(choices.keySet());
        names.addAll(texts.keySet());
        return names;
    }

    /**
     * Checks what a user has set.
     *
     * @param values by key; unknown keys are left to the caller
     * @param memberCount number of voting members
     * @return null, or what is wrong, with the key, its value and what to give instead
     */
    public String check(Map<String, String> values, int memberCount) {
        for (Map.Entry<String, Range> number : numbers.entrySet()) {
            String problem = check(number.getKey(), values.get(number.getKey()), number.getValue(), memberCount);
            if (problem != null) {
                return problem;
            }
        }
        for (Map.Entry<String, List<String>> choice : choices.entrySet()) {
            String text = values.get(choice.getKey());
            if (text != null && !choice.getValue().contains(text.trim())) {
                return choice.getKey() + "=" + text + " is unknown; give one of "
                        + String.join(", ", choice.getValue());
            }
        }
        for (Map.Entry<String, Text> text : texts.entrySet()) {
            String value = values.get(text.getKey());
            if (value != null && value.isBlank()) {
                return text.getKey() + "= has no value; give " + text.getValue().range();
            }
            String problem = value == null ? null : text.getValue().rule().problem(value.trim());
            if (problem != null) {
                return text.getKey() + "=" + value + " " + problem;
            }
        }
        for (AtLeast pair : atLeast) {
            int value = number(values, pair.key());
            int other = number(values, pair.otherKey());
            if (value < (long) pair.factor() * other) {
                return pair.key() + "=" + value + " must be at least "
                        + (pair.factor() == 1 ? "" : pair.factor() + " times ") + pair.otherKey() + "=" + other
                        + "; raise the one or lower the other";
            }
        }
        return null;
    }

    private static String check(String key, String text, Range range, int memberCount) {
        if (text == null) {
            return null;
        }
        String fitting = "from " + range.least() + " to " + range.most(memberCount);
        long value;
        try {
            value = Long.parseLong(text.trim());
        } catch (NumberFormatException e) {
            return key + "=" + text + " is not a whole number; give one " + fitting;
        }
        if (value < range.least() || value > range.most(memberCount)) {
            return key + "=" + text + " is out of range; give a number " + fitting;
        }
        return null;
    }

    /**
     * @param values for which {@link #check} found nothing wrong
     * @param key of a number
     * @return its value
     */
    public int number(Map<String, String> values, String key) {
        Range range = numbers.get(key);
        InvariantViolated.check(range != null, "%s is not a number's key", key);
        String text = values.get(key);
        return text == null ? range.defaultValue() : Integer.parseInt(text.trim());
    }

    /**
     * @param values for which {@link #check} found nothing wrong
     * @param key of a number of milliseconds
     * @param tickMillis length of a tick
     * @return its value in ticks, at least one
     */
    public int ticks(Map<String, String> values, String key, int tickMillis) {
        return Math.max(1, number(values, key) / tickMillis);
    }

    /**
     * @param values for which {@link #check} found nothing wrong
     * @param key of a choice
     * @return the word
     */
    public String choice(Map<String, String> values, String key) {
        List<String> words = choices.get(key);
        InvariantViolated.check(words != null, "%s is not a choice's key", key);
        String text = values.get(key);
        return text == null ? words.get(0) : text.trim();
    }

    /**
     * @param values for which {@link #check} found nothing wrong
     * @param key of a text
     * @return its value, without spaces around it; empty if there is none
     */
    public String text(Map<String, String> values, String key) {
        Text text = texts.get(key);
        InvariantViolated.check(text != null, "%s is not a text's key", key);
        return values.getOrDefault(key, text.defaultValue()).trim();
    }

    /**
     * @param key a key
     * @return its default, as a user would write it
     */
    public String defaultOf(String key) {
        if (texts.containsKey(key)) {
            return texts.get(key).defaultValue();
        }
        return choices.containsKey(key) ? choice(Map.of(), key) : Integer.toString(number(Map.of(), key));
    }

    /**
     * @param key a key
     * @return what it may be set to, as documents say it: {@code 1 to 9}, {@code 1 to members} or {@code this, that}
     */
    public String rangeOf(String key) {
        if (texts.containsKey(key)) {
            return texts.get(key).range();
        }
        if (choices.containsKey(key)) {
            return String.join(", ", choices.get(key));
        }
        Range range = numbers.get(key);
        InvariantViolated.check(range != null, "%s is not a key", key);
        return range.least() + " to " + (range.upToMembers() ? "members" : Integer.toString(range.most()));
    }
}
