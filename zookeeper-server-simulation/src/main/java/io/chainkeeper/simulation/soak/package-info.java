/** Runs of many seeds for hours: on all cores, of all protocols and applications, resumed where they stopped. */
package io.chainkeeper.simulation.soak;
