/** What users install: the archive, and what it contains, unpacked and run as they would. */
package io.chainkeeper.clienttests.install;
