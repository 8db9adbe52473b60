/**
 * What the real links of replicas stand on in the simulator: processes with an I/O thread of virtual time, and byte
 * streams between them. The transport itself is the product's.
 */
package io.chainkeeper.simulation.link;
