/**
 * Curator's recipes as people use them, working while servers are killed with SIGKILL and restarted: what each recipe
 * promises is checked after every step and once more when the servers are whole again. The sessions outlast every
 * fault, so that no promise may be broken, not even for a moment.
 */
package io.chainkeeper.clienttests.recipes;
