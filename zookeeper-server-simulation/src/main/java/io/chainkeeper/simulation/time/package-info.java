/** Virtual time, and the trace of what happens in it. */
package io.chainkeeper.simulation.time;
