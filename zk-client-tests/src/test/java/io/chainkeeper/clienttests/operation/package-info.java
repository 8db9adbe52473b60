/** What an operator has in hand: the scripts, the sample configuration, metrics and the status page. */
package io.chainkeeper.clienttests.operation;
