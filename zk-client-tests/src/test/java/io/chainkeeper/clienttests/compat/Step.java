package io.chainkeeper.clienttests.compat;

import java.util.ArrayList;
import java.util.List;

/**
 * One thing that is done to both servers.
 *
 * @param name what is done, in words
 * @param action does it
 * @param expected the result that is wanted of ours where a stock server is not asked, because it does not survive the
 *     question; null if the results are compared
 */
record Step(String name, Action action, String expected) {
    /** Does something and says what came of it, in words that are the same for equal behaviour. */
    @FunctionalInterface
    interface Action {
        /** Returns the result; an exception is a result, too. */
        Object run(Bench bench) throws Exception;
    }

    /** Steps in their order. */
    static final class Script {
        private final String name;
        private final List<Step> steps = new ArrayList<>();

        private Script(String name) {
            this.name = name;
        }

        /** Begins a script; its root znode has its name. */
        static Script named(String name) {
            return new Script(name);
        }

        /** Adds a step. */
        Script step(String what, Action action) {
            steps.add(new Step(what, action, null));
            return this;
        }

        /** Adds a step that a stock server would not survive; ours has to answer so. */
        Script onlyOurs(String what, String expected, Action action) {
            steps.add(new Step(what, action, expected));
            return this;
        }

        List<Step> steps() {
            return steps;
        }

        /** Returns the znode that the script works below. */
        String root() {
            return "/" + name;
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
