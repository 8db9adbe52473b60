/** The least application above an order: versioned registers, their replicas, and clients that read and write them. */
package io.chainkeeper.simulation.register;
