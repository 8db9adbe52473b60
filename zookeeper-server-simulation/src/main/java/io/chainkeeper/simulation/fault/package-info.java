/** What goes wrong in a run, and when. */
package io.chainkeeper.simulation.fault;
