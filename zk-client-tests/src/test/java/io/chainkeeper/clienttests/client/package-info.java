/** What clients see of an ensemble that nothing happens to. */
package io.chainkeeper.clienttests.client;
