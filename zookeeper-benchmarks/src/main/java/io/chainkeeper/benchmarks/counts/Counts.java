package io.chainkeeper.benchmarks.counts;

/**
 * What was counted, of all replicas together unless said otherwise.
 *
 * @param commands that were ordered
 * @param batches positions that hold commands
 * @param positions all positions
 * @param messages that replicas sent to each other
 * @param bytes of these messages, encoded
 * @param records that replicas appended to their logs
 * @param forces how often a log was forced
 * @param micros how long that took
 * @param answerMicros what clients waited for their answers, all of them together
 */
record Counts(
        long commands,
        long batches,
        long positions,
        long messages,
        long bytes,
        long records,
        long forces,
        long micros,
        long answerMicros) {
    Counts since(Counts before) {
        return new Counts(
                commands - before.commands,
                batches - before.batches,
                positions - before.positions,
                messages - before.messages,
                bytes - before.bytes,
                records - before.records,
                forces - before.forces,
                micros - before.micros,
                answerMicros - before.answerMicros);
    }

    Counts plus(Counts other) {
        return new Counts(
                commands + other.commands,
                batches + other.batches,
                positions + other.positions,
                messages + other.messages,
                bytes + other.bytes,
                records + other.records,
                forces + other.forces,
                micros + other.micros,
                answerMicros + other.answerMicros);
    }

    double commandsPerBatch() {
        return (double) commands / batches;
    }

    double messagesPerBatch() {
        return (double) messages / batches;
    }

    double messagesPerCommand() {
        return (double) messages / commands;
    }

    double bytesPerCommand() {
        return (double) bytes / commands;
    }

    double recordsPerCommand() {
        return (double) records / commands;
    }

    double forcesPerCommand() {
        return (double) forces / commands;
    }

    double commandsPerSecond() {
        return commands * 1e6 / micros;
    }

    double answerMillis() {
        return answerMicros / 1e3 / commands;
    }
}
