package io.chainkeeper.simulation.cluster;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;

/** The ensembles that were configured one after the other, those only asked for, and what replicas know of them. */
public final class Ensembles {
    private final EventQueue events;
    private final Delays delays;
    private final Trace trace;
    private final Workload workload;
    private final List<Machine> machines;
    private final IntConsumer start;
    private final List<Ensemble> configured = new ArrayList<>();
    private final List<Ensemble> asked = new ArrayList<>();
    private List<Integer> newestReplicas = List.of();

    /**
     * @param first the ensemble of a new cluster
     * @param events virtual time
     * @param delays until replicas are told or start
     * @param trace told of all ensembles
     * @param workload knows whether clients ask for them
     * @param machines of all replicas that there may ever be
     * @param start starts the replica with an id
     */
    Ensembles(
            Ensemble first,
            EventQueue events,
            Delays delays,
            Trace trace,
            Workload workload,
            List<Machine> machines,
            IntConsumer start) {
        this.events = events;
        this.delays = delays;
        this.trace = trace;
        this.workload = workload;
        this.machines = machines;
        this.start = start;
        configured.add(first);
        for (Machine machine : machines) {
            machine.knownEnsemble = first.contains(machine.replica.id()) ? 0 : -1;
        }
    }

    /** The ensemble that is configured now. */
    Ensemble newest() {
        return configured.get(newestNumber());
    }

    /** Participants and observers of it, ascending. */
    List<Integer> newestReplicas() {
        if (newestReplicas.isEmpty()) {
            newestReplicas = machines.stream()
                    .map(machine -> machine.replica.id())
                    .filter(newest()::contains)
                    .toList();
        }
        return newestReplicas;
    }

    private int newestNumber() {
        return configured.size() - 1;
    }

    /**
     * An operator wants another ensemble: clients ask for it if they can, else the replicas are told.
     *
     * @param next the ensemble
     * @param random what whoever asks draws
     * @return whether replicas are told, or somebody asks
     */
    public boolean wanted(Ensemble next, SplittableRandom random) {
        if (!workload.asksForEnsembles()) {
            configured(next);
            machines.forEach(this::tellOrStart);
            return true;
        }
        boolean isAsked = workload.askFor(next, random);
        if (isAsked) {
            asked(next);
        }
        return isAsked;
    }

    /**
     * A client asks for another ensemble: those that are new in it start.
     *
     * @param next the ensemble
     */
    public void asked(Ensemble next) {
        trace.record(0, "asked for ensemble", asked.size(), next);
        asked.add(next);
        machines.forEach(this::startIfNew);
    }

    /** The order has configured another ensemble; replicas learn of it as they execute it. */
    public void configured(Ensemble next) {
        trace.record(0, "ensemble", configured.size(), next);
        newestReplicas = List.of();
        configured.add(next);
    }

    /** Those that run learn of it each in its own time; those that come later are told what they missed. */
    private void tellOrStart(Machine machine) {
        if (!startIfNew(machine) && machine.replica.isRunning()) {
            tellLater(machine);
        }
    }

    private boolean startIfNew(Machine machine) {
        Ensemble next = workload.asksForEnsembles() ? asked.get(asked.size() - 1) : newest();
        int id = machine.replica.id();
        boolean isNew = machine.knownEnsemble < 0 && next.contains(id);
        if (isNew) {
            machine.knownEnsemble = newestNumber();
            events.after(delays.ensembleMicros(), () -> start.accept(id));
        }
        return isNew;
    }

    /** A replica that has just started may not know all. */
    void started(Machine machine) {
        if (machine.knownEnsemble < newestNumber()) {
            tellLater(machine);
        }
    }

    /** Tells a running replica of the newest ensemble, unless the order does so. */
    void tellLater(Machine machine) {
        if (workload.asksForEnsembles()) {
            return;
        }
        int number = newestNumber();
        ReplicaHost host = machine.replica.host();
        events.after(delays.ensembleMicros(), () -> {
            if (host.isAlive() && machine.knownEnsemble < number) {
                machine.knownEnsemble = number;
                host.ensembleChanged(configured.get(number));
            }
        });
    }

    /** A replica is to start with an empty disk: its file is written anew. */
    void diskLost(Machine machine) {
        machine.knownEnsemble = newestNumber();
    }

    /**
     * What stands in a replica's own file. Where the order tells of ensembles nobody changes it after the first start,
     * and a new replica is an observer there, so that it waits until it is asked to vote.
     */
    Ensemble file(Machine machine) {
        Ensemble known = configured.get(machine.knownEnsemble);
        int id = machine.replica.id();
        if (known.contains(id) || !workload.asksForEnsembles()) {
            return known;
        }
        List<Integer> observers = new ArrayList<>(known.observers());
        observers.add(id);
        return new Ensemble(known.participants(), observers);
    }

    /** The newest, and all others that a replica may still act on. */
    public List<Ensemble> known() {
        int oldest = newestNumber();
        for (Machine machine : machines) {
            oldest = machine.knownEnsemble < 0 ? oldest : Math.min(oldest, machine.knownEnsemble);
        }
        List<Ensemble> all = new ArrayList<>(configured.subList(oldest, configured.size()));
        all.addAll(asked);
        return all;
    }
}
