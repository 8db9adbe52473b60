package io.chainkeeper.test;

import java.io.IOException;
import java.util.List;

/** Makes ensembles out of Curator's descriptions of servers. */
final class SpecCluster {
    private SpecCluster() {}

    /**
     * @param specs one for each server; settings of the ensemble are those of the first
     * @return the ensemble, not started
     */
    static ChainkeeperCluster of(List<InstanceSpec> specs) throws IOException {
        ChainkeeperCluster.Builder builder = ChainkeeperCluster.builder().servers(specs.size());
        for (int i = 0; i < specs.size(); i++) {
            InstanceSpec spec = specs.get(i);
            builder.clientPort(i + 1, spec.getPort())
                    .directory(i + 1, spec.getDataDirectory().toPath());
        }
        InstanceSpec first = specs.get(0);
        if (first.getTickTime() > 0) {
            builder.tickTime(first.getTickTime());
        }
        if (first.getMaxClientCnxns() >= 0) {
            builder.setting("maxClientCnxns", Integer.toString(first.getMaxClientCnxns()));
        }
        first.getCustomProperties().forEach((key, value) -> builder.setting(key, value.toString()));
        return builder.build();
    }

    static void deleteDirectories(List<InstanceSpec> specs) throws IOException {
        for (InstanceSpec spec : specs) {
            if (spec.deleteDataDirectoryOnClose()) {
                TestDirectory.delete(spec.getDataDirectory().toPath());
            }
        }
    }
}
