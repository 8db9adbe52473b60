package io.chainkeeper.benchmarks.options;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The options of a command line of the form {@code --name value} and {@code --flag}. */
final class OptionReader {
    private final Map<String, String> values = new LinkedHashMap<>();

    /**
     * Splits a command line.
     *
     * @param args what follows the mode
     * @param named options that take a value
     * @param flags options that take none
     * @throws UsageException if there is anything else
     */
    OptionReader(List<String> args, Set<String> named, Set<String> flags) throws UsageException {
        for (int i = 0; i < args.size(); i++) {
            String option = args.get(i);
            String value = "";
            if (named.contains(option)) {
                if (i + 1 == args.size()) {
                    throw new UsageException(option + " needs a value");
                }
                value = args.get(++i);
            } else if (!flags.contains(option)) {
                throw new UsageException("unknown option '" + option + "'; --help lists all");
            }
            if (values.put(option, value) != null) {
                throw new UsageException(option + " is given twice");
            }
        }
    }

    boolean flag(String option) {
        return values.containsKey(option);
    }

    String text(String option, String fallback) {
        return values.getOrDefault(option, fallback);
    }

    int whole(String option, int fallback, int least, int most) throws UsageException {
        String text = values.get(option);
        return text == null ? fallback : parse(option, text, least, most);
    }

    private static int parse(String option, String text, int least, int most) throws UsageException {
        try {
            int value = Integer.parseInt(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // the same advice as for a number out of range
        }
        throw new UsageException(option + " " + text + ": give a whole number from " + least + " to " + most);
    }

    /** Different numbers between commas, at least one. */
    List<Integer> wholes(String option, String fallback, int least, int most) throws UsageException {
        List<Integer> numbers = numbers(option, fallback, least, most);
        if (numbers.isEmpty() || new HashSet<>(numbers).size() != numbers.size()) {
            throw new UsageException(option + ": give one or more different numbers, such as " + fallback);
        }
        return numbers;
    }

    /** Numbers between commas. */
    List<Integer> numbers(String option, String fallback, int least, int most) throws UsageException {
        List<Integer> numbers = new ArrayList<>();
        for (String word : words(option, fallback, ",")) {
            numbers.add(parse(option, word, least, most));
        }
        return numbers;
    }

    double decimal(String option, double fallback, double least, double most) throws UsageException {
        String text = values.get(option);
        if (text == null) {
            return fallback;
        }
        try {
            double value = Double.parseDouble(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // the same advice as for a number out of range
        }
        throw new UsageException(option + " " + text + ": give a number from " + least + " to " + most);
    }

    String choice(String option, String fallback, List<String> allowed) throws UsageException {
        String text = values.getOrDefault(option, fallback);
        if (!allowed.contains(text)) {
            throw new UsageException(option + " " + text + ": give one of " + String.join(", ", allowed));
        }
        return text;
    }

    /** Words between the separator; empty words are left out. */
    List<String> words(String option, String fallback, String separator) {
        List<String> words = new ArrayList<>();
        for (String word : values.getOrDefault(option, fallback).split(separator)) {
            if (!word.isBlank()) {
                words.add(word.trim());
            }
        }
        return words;
    }
}
