package io.chainkeeper.config;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.log.Durability;
import io.chainkeeper.log.LogStore;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The keys of a zoo.cfg that are ours: {@code ordering.*}, {@code reads} and those of each protocol found. Nothing that
 * begins like one of ours is ever ignored.
 *
 * @param protocol {@code ordering.protocol}
 * @param factory the protocol's factory; null for {@link OrderingConfig#ZAB}
 * @param durability {@code ordering.durability}
 * @param logStore {@code ordering.logStore}
 * @param reads {@code reads}
 * @param logRetentionBytes {@code ordering.logRetentionBytes}
 * @param safeguards {@code ordering.diskReserveBytes}, {@code ordering.digestAuditSeconds}, {@code
 *     ordering.heapReservePercent} and {@code ordering.maxWatches}
 * @param stateTransferBytesPerSecond {@code ordering.stateTransferBytesPerSecond}
 * @param checkpointBytes {@code ordering.checkpointBytes}
 * @param featureRaising {@code ordering.featureLevel} and {@code ordering.featureLevelDelaySeconds}
 * @param tracing {@code ordering.slowRequestMillis} and {@code ordering.traceEvery}
 * @param linkSecret {@code ordering.secretFile} and {@code ordering.secretRequired}, null if there is none
 * @param protocolSettings the keys of the chosen protocol that the file sets
 */
record OrderingSettings(
        String protocol,
        OrderingProtocolFactory factory,
        Durability durability,
        LogStore logStore,
        ReadConsistency reads,
        long logRetentionBytes,
        Safeguards safeguards,
        long stateTransferBytesPerSecond,
        long checkpointBytes,
        FeatureRaising featureRaising,
        RequestTracing tracing,
        LinkSecret linkSecret,
        Map<String, String> protocolSettings) {
    private static final String PREFIX = "ordering.";
    /** The key that names the protocol. */
    static final String PROTOCOL = "ordering.protocol";

    private static final String DURABILITY = "ordering.durability";
    private static final String LOG_STORE = "ordering.logStore";
    private static final String LOG_RETENTION_BYTES = "ordering.logRetentionBytes";
    private static final String DISK_RESERVE_BYTES = "ordering.diskReserveBytes";
    private static final String HEAP_RESERVE_PERCENT = "ordering.heapReservePercent";
    private static final String MAX_WATCHES = "ordering.maxWatches";
    private static final String DIGEST_AUDIT_SECONDS = "ordering.digestAuditSeconds";
    private static final String STATE_TRANSFER_BYTES_PER_SECOND = "ordering.stateTransferBytesPerSecond";
    private static final String CHECKPOINT_BYTES = "ordering.checkpointBytes";
    private static final String FEATURE_LEVEL = "ordering.featureLevel";
    private static final String FEATURE_LEVEL_DELAY_SECONDS = "ordering.featureLevelDelaySeconds";
    private static final String SLOW_REQUEST_MILLIS = "ordering.slowRequestMillis";
    private static final String TRACE_EVERY = "ordering.traceEvery";
    private static final String READS = "reads";
    static final Set<String> KEYS = new TreeSet<>(List.of(
            PROTOCOL,
            DURABILITY,
            LOG_STORE,
            LOG_RETENTION_BYTES,
            STATE_TRANSFER_BYTES_PER_SECOND,
            CHECKPOINT_BYTES,
            FEATURE_LEVEL,
            FEATURE_LEVEL_DELAY_SECONDS,
            SLOW_REQUEST_MILLIS,
            TRACE_EVERY,
            LinkSecret.FILE,
            LinkSecret.REQUIRED,
            DISK_RESERVE_BYTES,
            HEAP_RESERVE_PERCENT,
            MAX_WATCHES,
            DIGEST_AUDIT_SECONDS));

    /**
     * Parses and checks our keys.
     *
     * @param zooCfg the main configuration file
     * @param factories the protocols that there are, by name
     * @param memberCount number of voting members that the file lists
     * @return the settings, complete with defaults
     * @throws UserMistakeException for an unknown key, a key given twice, or a wrong value
     */
    static OrderingSettings parse(
            SettingsFile zooCfg, SortedMap<String, OrderingProtocolFactory> factories, int memberCount)
            throws UserMistakeException {
        checkKeys(zooCfg, factories);
        for (OrderingProtocolFactory factory : factories.values()) {
            checkProtocolSettings(zooCfg, factory, memberCount);
        }
        String protocol = protocol(zooCfg, factories);
        OrderingProtocolFactory factory = factories.get(protocol);
        SharedDiskSettings.checkUnused(zooCfg, protocol, factories.values());
        return new OrderingSettings(
                protocol,
                factory,
                choice(zooCfg, DURABILITY, Durability.SYNC),
                choice(zooCfg, LOG_STORE, LogStore.SEGMENTED),
                choice(zooCfg, READS, ReadConsistency.LINEARIZABLE),
                logRetentionBytes(zooCfg),
                safeguards(zooCfg),
                number(
                        zooCfg,
                        STATE_TRANSFER_BYTES_PER_SECOND,
                        "bytes",
                        OrderingConfig.DEFAULT_STATE_TRANSFER_BYTES_PER_SECOND,
                        OrderingConfig.MIN_STATE_TRANSFER_BYTES_PER_SECOND,
                        OrderingConfig.MAX_STATE_TRANSFER_BYTES_PER_SECOND),
                number(
                        zooCfg,
                        CHECKPOINT_BYTES,
                        "bytes",
                        OrderingConfig.DEFAULT_CHECKPOINT_BYTES,
                        OrderingConfig.MIN_CHECKPOINT_BYTES,
                        OrderingConfig.MAX_CHECKPOINT_BYTES),
                featureRaising(zooCfg),
                tracing(zooCfg),
                LinkSecret.parse(zooCfg),
                factory == null ? Map.of() : settingsOf(zooCfg, factory));
    }

    private static void checkKeys(SettingsFile zooCfg, SortedMap<String, OrderingProtocolFactory> factories)
            throws UserMistakeException {
        for (SettingsFile.Entry entry : zooCfg.entries()) {
            if (entry.key().equals(READS)) {
                zooCfg.checkFirst(entry);
            }
            if (entry.key().startsWith(PREFIX)) {
                checkKey(zooCfg, entry, KEYS);
            }
            for (OrderingProtocolFactory factory : factories.values()) {
                if (entry.key().startsWith(factory.name() + ".")) {
                    checkKey(zooCfg, entry, new TreeSet<>(factory.settings().names()));
                }
            }
        }
    }

    private static void checkKey(SettingsFile zooCfg, SettingsFile.Entry entry, Set<String> known)
            throws UserMistakeException {
        if (!known.contains(entry.key())) {
            throw UserMistakeException.inConfiguration(
                    "%s: unknown key; remove it or use one of %s", zooCfg.at(entry), String.join(", ", known));
        }
        zooCfg.checkFirst(entry);
    }

    private static void checkProtocolSettings(SettingsFile zooCfg, OrderingProtocolFactory factory, int memberCount)
            throws UserMistakeException {
        Map<String, String> settings = settingsOf(zooCfg, factory);
        if (settings.isEmpty()) {
            return;
        }
        String problem = factory.settings().check(settings, Math.max(1, memberCount));
        if (problem != null) {
            throw UserMistakeException.inConfiguration("%s: %s", where(zooCfg, settings.keySet(), problem), problem);
        }
    }

    /** The protocol names the key, and knows no lines. */
    private static String where(SettingsFile zooCfg, Set<String> keys, String problem) {
        return keys.stream()
                .filter(problem::contains)
                .findFirst()
                .flatMap(zooCfg::find)
                .map(entry -> zooCfg.path() + ":" + entry.line())
                .orElse(zooCfg.path().toString());
    }

    private static Map<String, String> settingsOf(SettingsFile zooCfg, OrderingProtocolFactory factory) {
        Map<String, String> settings = new TreeMap<>();
        for (String key : factory.settings().names()) {
            zooCfg.find(key).ifPresent(entry -> settings.put(key, entry.value()));
        }
        return settings;
    }

    private static String protocol(SettingsFile zooCfg, SortedMap<String, OrderingProtocolFactory> factories)
            throws UserMistakeException {
        String protocol = zooCfg.value(PROTOCOL, OrderingConfig.DEFAULT_PROTOCOL);
        if (protocol.equals(OrderingConfig.ZAB) || factories.containsKey(protocol)) {
            return protocol;
        }
        TreeSet<String> names = new TreeSet<>(factories.keySet());
        names.add(OrderingConfig.ZAB);
        Optional<SettingsFile.Entry> entry = zooCfg.find(PROTOCOL);
        if (entry.isEmpty()) {
            throw UserMistakeException.inConfiguration(
                    "%s: %s=%s is the default, but no jar on the class path provides it; add that jar to lib/",
                    zooCfg.path(), PROTOCOL, protocol);
        }
        throw UserMistakeException.inConfiguration(
                "%s: unknown protocol; use one of %s", zooCfg.at(entry.get()), String.join(", ", names));
    }

    private static <T extends Enum<T>> T choice(SettingsFile zooCfg, String key, T defaultValue)
            throws UserMistakeException {
        Optional<SettingsFile.Entry> entry = zooCfg.find(key);
        if (entry.isEmpty()) {
            return defaultValue;
        }
        T[] constants = defaultValue.getDeclaringClass().getEnumConstants();
        for (T constant : constants) {
            if (word(constant).equals(entry.get().value())) {
                return constant;
            }
        }
        throw UserMistakeException.inConfiguration(
                "%s: unknown value; use one of %s",
                zooCfg.at(entry.get()),
                Arrays.stream(constants).map(OrderingSettings::word).collect(Collectors.joining(", ")));
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static long logRetentionBytes(SettingsFile zooCfg) throws UserMistakeException {
        return number(
                zooCfg,
                LOG_RETENTION_BYTES,
                "bytes",
                OrderingConfig.DEFAULT_LOG_RETENTION_BYTES,
                OrderingConfig.MIN_LOG_RETENTION_BYTES,
                OrderingConfig.MAX_LOG_RETENTION_BYTES);
    }

    private static Safeguards safeguards(SettingsFile zooCfg) throws UserMistakeException {
        return new Safeguards(
                number(
                        zooCfg,
                        DISK_RESERVE_BYTES,
                        "bytes",
                        Safeguards.DEFAULT.diskReserveBytes(),
                        Safeguards.MIN_DISK_RESERVE_BYTES,
                        Safeguards.MAX_DISK_RESERVE_BYTES),
                (int) number(
                        zooCfg,
                        DIGEST_AUDIT_SECONDS,
                        "seconds",
                        Safeguards.DEFAULT.digestAuditSeconds(),
                        Safeguards.MIN_DIGEST_AUDIT_SECONDS,
                        Safeguards.MAX_DIGEST_AUDIT_SECONDS),
                (int) number(
                        zooCfg,
                        HEAP_RESERVE_PERCENT,
                        "percent",
                        Safeguards.DEFAULT.heapReservePercent(),
                        0,
                        Safeguards.MAX_HEAP_RESERVE_PERCENT),
                number(zooCfg, MAX_WATCHES, "watches", Safeguards.DEFAULT.maxWatches(), 0, Safeguards.MAX_MAX_WATCHES));
    }

    /** Who raises the feature level. */
    private enum RaisedBy {
        AUTO,
        OPERATOR
    }

    private static FeatureRaising featureRaising(SettingsFile zooCfg) throws UserMistakeException {
        return new FeatureRaising(choice(zooCfg, FEATURE_LEVEL, RaisedBy.AUTO) == RaisedBy.AUTO, (int) number(
                zooCfg,
                FEATURE_LEVEL_DELAY_SECONDS,
                "seconds",
                FeatureRaising.DEFAULT.delaySeconds(),
                FeatureRaising.MIN_DELAY_SECONDS,
                FeatureRaising.MAX_DELAY_SECONDS));
    }

    private static RequestTracing tracing(SettingsFile zooCfg) throws UserMistakeException {
        return new RequestTracing(
                (int) number(
                        zooCfg,
                        SLOW_REQUEST_MILLIS,
                        "milliseconds",
                        RequestTracing.DEFAULT.slowRequestMillis(),
                        0,
                        RequestTracing.MAX_SLOW_REQUEST_MILLIS),
                (int) number(
                        zooCfg,
                        TRACE_EVERY,
                        "commands",
                        RequestTracing.DEFAULT.traceEvery(),
                        0,
                        RequestTracing.MAX_TRACE_EVERY));
    }

    private static long number(SettingsFile zooCfg, String key, String unit, long defaultValue, long least, long most)
            throws UserMistakeException {
        Optional<SettingsFile.Entry> entry = zooCfg.find(key);
        if (entry.isEmpty()) {
            return defaultValue;
        }
        String value = entry.get().value();
        long number = value.matches("\\d{1,18}") ? Long.parseLong(value) : -1;
        if (number < least || number > most) {
            throw UserMistakeException.inConfiguration(
                    "%s: write a number of %s from %d to %d", zooCfg.at(entry.get()), unit, least, most);
        }
        return number;
    }
}
