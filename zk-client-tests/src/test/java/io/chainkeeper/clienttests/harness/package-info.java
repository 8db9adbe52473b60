/**
 * What the tests of real processes share: ensembles of server processes started by the scripts users start them with,
 * clients, load, and the checks of what is left afterwards.
 */
package io.chainkeeper.clienttests.harness;
