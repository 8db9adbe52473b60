/**
 * Changes while clients go on: of the ensemble, of settings server by server, of the protocol, of what a cluster began
 * with.
 */
package io.chainkeeper.clienttests.change;
