package io.chainkeeper.benchmarks.host;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * No quotas.
 *
 * @param description why not
 */
record Uncapped(String description) implements CpuControl {
    @Override
    public boolean canCap() {
        return false;
    }

    @Override
    public Group create(String name) {
        return new Group() {
            @Override
            public List<Path> processFiles() {
                return List.of();
            }

            @Override
            public void cap(double cores) {
                if (cores != 0) {
                    throw new IllegalStateException("no quota can be set: " + description);
                }
            }

            @Override
            public OptionalLong cpuMicros() {
                return OptionalLong.empty();
            }

            @Override
            public void close() {}
        };
    }
}
