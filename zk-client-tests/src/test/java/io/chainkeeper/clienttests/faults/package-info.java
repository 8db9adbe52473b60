/** Servers that are killed, lose their disks or have them full, and links that are cut, break or lose packets. */
package io.chainkeeper.clienttests.faults;
