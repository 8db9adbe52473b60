package io.chainkeeper.server.maintenance;

import io.chainkeeper.server.reconfig.EffectiveEnsemble;
import io.chainkeeper.server.reconfig.Reconfigurer;

/**
 * What is done about the ensemble.
 *
 * @param effective the ensemble in force
 * @param view shows it to monitoring, client port and files
 * @param reconfigurer changes it
 * @param levels raises its feature level
 */
public record EnsembleTasks(
        EffectiveEnsemble effective, Runnable view, Reconfigurer reconfigurer, FeatureLevels levels) {}
